/**
 * Whatever reads a text that somebody else has written, of every package: it answers, or throws what its callers know. The texts
 * that the inputs come from are beside it (`corpus.ts`).
 */

import { mutated } from '../mutations.ts'
import { demand, opened, type Target } from '../target.ts'
import { CORPUS } from './corpus.ts'

interface Reader {
  read(text: string): unknown
  /** Errors by their class or code that belong to its contract. None unless given. */
  readonly refusals?: readonly string[]
}

function toTarget(name: keyof typeof CORPUS, about: string, load: () => Promise<Reader>): Target {
  return {
    name,
    about,
    async open() {
      const { read, refusals = [] } = await load()
      return opened({
        arbitrary: mutated(CORPUS[name]),
        async run(text) {
          try {
            await read(text)
          } catch (error) {
            const kind = error instanceof Error ? [error.name, error.constructor.name] : []
            demand(
              kind.some((word) => refusals.includes(word)),
              `an error of no known kind: ${String(error)}`,
            )
          }
        },
      })
    },
  }
}

const CALL = {
  kind: 'call',
  server: 's',
  tool: 'read',
  arguments: { path: '/tmp/x', __entity: { type: 'Role', id: 'x' }, many: [1, 2.5, null] },
  trusted: false,
} as const
const DIALECTS = ['sqlite', 'postgresql', 'mysql', 'mariadb'] as const

export const texts: readonly Target[] = [
  toTarget('challenges', 'WWW-Authenticate headers', async () => {
    const { parseChallenges, readTokenChallenge } = await import('../../../packages/sdk/src/auth/client/challenge.ts')
    return {
      read(text) {
        parseChallenges(text)
        readTokenChallenge(text)
      },
    }
  }),
  toTarget('headers', 'values of headers that mirror parameters, there and back', async () => {
    const { decodeHeaderValue, encodeHeaderValue } = await import(
      '../../../packages/sdk/src/protocol/headers/headers-encoding.ts'
    )
    return {
      read(text) {
        decodeHeaderValue(text)
        if (!/\p{Surrogate}/u.test(text))
          demand(decodeHeaderValue(encodeHeaderValue(text)) === text, 'it came back changed')
      },
      refusals: ['PorticoError', 'RpcError'],
    }
  }),
  toTarget('frontmatter', 'frontmatter of skills', async () => {
    const { parseFrontmatter } = await import('../../../packages/sdk/src/protocol/skills/skills-frontmatter.ts')
    return { read: parseFrontmatter, refusals: ['PorticoError'] }
  }),
  toTarget('configs', 'configuration files of every program', async () => {
    const { readConfigText } = await import('../../../packages/host/src/config/read-config.ts')
    const files = ['.mcp.json', 'config.toml', 'servers.yaml', 'settings.json']
    return {
      read(text) {
        for (const file of files) readConfigText(text, { file })
      },
    }
  }),
  toTarget('cedar', "conditions in Cedar's language, asked of a call", async () => {
    const { createCedarCondition } = await import('../../../packages/host/src/policy/cedar/cedar-condition.ts')
    return {
      read(text) {
        const outcome = createCedarCondition(text)(CALL, { session: 's', unattended: true, tainted: true, at: 0 })
        demand(outcome === 'unknown' || typeof outcome === 'boolean', 'neither yes, no nor unknown')
      },
      refusals: ['PorticoError'],
    }
  }),
  toTarget('rules', 'rules with their conditions', async () => {
    const { readRules } = await import('../../../packages/host/src/policy/rule-text.ts')
    return {
      read(text) {
        readRules(toJson(text))
      },
    }
  }),
  toTarget('statements', 'SQL that may only read', async () => {
    const { requireReading, requireWritable } = await import('../../../packages/servers/src/sql/statement.ts')
    return {
      read(text) {
        for (const dialect of DIALECTS) {
          refusing(() => requireReading(text, dialect, false))
          refusing(() => requireWritable(text, dialect))
        }
      },
    }
  }),
]

/** What the wall refuses, it refuses in words for a model. */
function refusing(check: () => unknown): void {
  try {
    check()
  } catch (error) {
    demand(error instanceof Error && error.name === 'ToolError', `an error of no known kind: ${String(error)}`)
  }
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
