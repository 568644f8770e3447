/**
 * Writes `docs/reference/limits.md` from the tables of bounds in the SDK, so that the page cannot say anything else:
 * `node scripts/generate/make-limits-table.mjs`. What a bound means is read from the comment in the source, what happens beyond it
 * is written here. The test beside this file fails while the page is out of date or a bound has no word on that.
 */
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repositoryRoot } from '../report.mjs'

export const limitsPage = join(repositoryRoot, 'docs', 'reference', 'limits.md')

/** Where each table is, and where its bounds are set. */
export const LIMIT_TABLES = [
  {
    title: 'The JSON of a message',
    where: '`json` of the ways of serving over HTTP and WebSocket, `limits` of the others',
    file: 'packages/sdk/src/framing/limits.ts',
    name: 'FRAMING_LIMITS',
    beyond: {
      maxDepth: '`-32600`, HTTP 400',
      maxKeys: '`-32600`, HTTP 400',
      maxItems: '`-32600`, HTTP 400',
      maxNodes: '`-32600`, HTTP 400',
      maxStringLength: '`-32600`, HTTP 400',
      maxLineBytes: '`-32600`; the next line is read',
      maxEventBytes: 'the call fails with `limit-exceeded`; on a listener the event is left out',
      maxFrameBytes: 'closed with 1009',
      maxBodyBytes: '`-32600`, HTTP 413',
      maxBatch: '`-32600`, HTTP 400',
    },
  },
  {
    title: 'Serving',
    where: '`limits` of `serveHttp`, `serveFetch`, `serveWebSocket`, `serveSocket` and `serveStdio`, each its own part',
    file: 'packages/sdk/src/serve/rules/limits.ts',
    name: 'SERVE_LIMITS',
    beyond: {
      maxBodyBytes: '`-32600`, HTTP 413',
      maxLineBytes: '`-32600`; the next line is read',
      maxFrameBytes: 'closed with 1009',
      maxBatch: '`-32600`, HTTP 400',
      maxSessions:
        'a session that was never used, or an idle one of whoever has most, gives way; else `-32603`, HTTP 503',
      maxSessionsPerPrincipal: 'a session that was never used gives way; else `-32600`, HTTP 429 with `Retry-After`',
      sessionIdleMs: 'the session ends; its id is 404',
      maxConnections: 'HTTP 503 with `Retry-After`; `-32603` on sockets, then closed',
      maxConnectionsPerPrincipal: 'HTTP 429 with `Retry-After`; `-32603` on sockets, then closed',
      maxQueueBytes: 'logs are dropped and counted, progress coalesces',
      maxKeptBytes: 'the connection is closed',
      stalledMs: 'the connection is closed',
      maxSendingBytes: 'the connection is closed',
      maxSendingBytesPerPeer: 'the connection is closed',
      maxReplayBytes: 'older events cannot be resumed',
      maxSessionReplayBytes: 'older events cannot be resumed',
      maxTotalReplayBytes: 'older events cannot be resumed',
      replayMs: 'the stream cannot be resumed',
      maxReceivingBytes: '`-32600` on sockets, HTTP 503 with `Retry-After`; a WebSocket is closed with 1013',
      maxReceivingBytesPerPeer: '`-32600` on sockets, HTTP 503 with `Retry-After`; a WebSocket is closed with 1013',
      maxInFlight: '`-32603`, HTTP 503 with `Retry-After`',
      maxInFlightPerPrincipal: '`-32603` (`-32600` over HTTP), HTTP 429 with `Retry-After`',
      maxListeners: '`-32603`, HTTP 503 with `Retry-After`',
      maxListenersPerPrincipal: '`-32603` (`-32600` over HTTP), HTTP 429 with `Retry-After`',
      headersTimeoutMs: 'HTTP 408, closed',
      requestTimeoutMs: 'HTTP 408, closed',
      keepAliveMs: 'a comment is sent',
      notificationsPerSecond: 'logs are dropped and counted, progress coalesces',
    },
  },
  {
    title: 'What is kept of a client',
    where: 'fixed',
    file: 'packages/sdk/src/session/kept-text.ts',
    name: 'KEPT_LIMITS',
    beyond: {
      maxIdLength: '`-32600`, HTTP 400',
      maxClientInfoLength:
        'the texts of `clientInfo` are cut to as much, its icons and members that nobody knows left out',
      maxCapabilitiesLength: '`-32602`',
      maxSubscriptionLength: '`-32602`',
      keptShare: 'more comes out of `maxTotalKeptLength`',
      maxTotalKeptLength: '`-32602` to those who have more than `keptShare`',
    },
  },
  {
    title: 'Outcomes of rounds of input',
    where: 'the second argument of `MemoryRoundStore`, the `roundStore` of `createServer`',
    file: 'packages/sdk/src/session/kept-rounds/round-keeping.ts',
    name: 'ROUND_LIMITS',
    beyond: {
      maxOutcomeBytes: 'the round is `-32602` when it is sent again; it does not run again',
      maxOutcomeBytesPerPrincipal: "the principal's oldest outcome is forgotten; its round is `-32602`",
      maxTotalOutcomeBytes: 'the oldest outcome of whoever has most is forgotten; its round is `-32602`',
    },
  },
  {
    title: 'Schemas',
    where: 'fixed for what a server or client compiles',
    file: 'packages/sdk/src/schema/json-schema/json-schema-limits.ts',
    name: 'SCHEMA_LIMITS',
    beyond: {
      maxSchemaDepth: '`limit-exceeded` when the schema is compiled',
      maxSubschemas: '`limit-exceeded` when the schema is compiled',
      maxValueDepth: 'the value is invalid',
      maxValidationSteps: 'the value is invalid',
      maxPatternSize: '`limit-exceeded` when the schema is compiled',
    },
  },
  {
    title: 'URI templates',
    where: 'fixed',
    file: 'packages/sdk/src/schema/uri-template/uri-template-syntax.ts',
    name: 'TEMPLATE_LIMITS',
    beyond: {
      maxTemplateLength: '`invalid-definition`',
      maxVariables: '`invalid-definition`',
      maxUriLength: 'nothing matches',
    },
  },
  {
    title: 'Clients',
    where: '`limits` of `connect`',
    file: 'packages/sdk/src/client/options.ts',
    name: 'CLIENT_LIMITS',
    beyond: {
      maxPages: '`limit-exceeded`',
      maxListItems: '`limit-exceeded`',
      maxListBytes: '`limit-exceeded`',
      maxRounds: '`limit-exceeded`',
      maxQuestions: '`limit-exceeded`',
      notificationsPerSecond: 'notifications are dropped and counted',
      maxOpenQuestions: 'the question is answered with `-32600`',
      maxAnswerBytes: 'the call fails with `limit-exceeded`',
      maxDepth: 'the call fails with `limit-exceeded`',
      maxKeys: 'the call fails with `limit-exceeded`',
      maxItems: 'the call fails with `limit-exceeded`',
      maxNodes: 'the call fails with `limit-exceeded`',
      maxStringLength: 'the call fails with `limit-exceeded`',
    },
  },
]

/**
 * @param {{ title: string, where: string, source: string, limits: object, beyond: { [name: string]: string } }[]} tables
 * @returns {string} the whole page
 */
export function toLimitsPage(tables) {
  const sections = tables.map(({ title, where, source, limits, beyond }) => {
    const rows = Object.entries(limits).map(
      ([name, value]) =>
        `| \`${name}\` | ${toAmount(name, value)} | ${describe(source, name)} | ${beyond[name] ?? ''} |`,
    )
    return `## ${title}\n\nSet by: ${where}.\n\n| limit | default | on | beyond it |\n|---|---|---|---|\n${rows.join('\n')}`
  })
  return `# Limits

<!-- Made by scripts/generate/make-limits-table.mjs from the tables in packages/sdk/src. Change them there. -->

Every bound, what it is unless set, and what happens beyond it. A refusal names the bound. How to choose them is in the
guide: [Limits](../guide/limits.md).

${sections.join('\n\n')}
`
}

/** The comment that a member has in its source, on one line. */
function describe(source, name) {
  const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*(?:readonly )?${name}\\??:`).exec(source)?.[1] ?? ''
  const text = comment.replaceAll(/\s*\n\s*\*\s*/g, ' ').trim()
  return text.replace(/\.$/, '').replaceAll('|', '\\|')
}

function toAmount(name, value) {
  if (name.endsWith('Ms'))
    return value >= 60_000 ? `${value / 60_000} min` : value >= 1000 ? `${value / 1000} s` : `${value} ms`
  if (/Bytes$|Length$/.test(name) && value % 1024 === 0) {
    return value % (1024 * 1024) === 0 ? `${value / 1024 / 1024} Mi` : `${value / 1024} Ki`
  }
  return value.toLocaleString('en')
}

/** Reads the sources that the tables name. */
export function withSources(tables) {
  return tables.map((table) => ({ ...table, source: readFileSync(join(repositoryRoot, table.file), 'utf8') }))
}

const script = process.argv[1]
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) {
  const { tsImport } = await import('tsx/esm/api')
  const tables = []
  for (const table of withSources(LIMIT_TABLES)) {
    const found = await tsImport(`../../${table.file}`, import.meta.url)
    tables.push({ ...table, limits: found[table.name] })
  }
  writeFileSync(limitsPage, toLimitsPage(tables))
}
