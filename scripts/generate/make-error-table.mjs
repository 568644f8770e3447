/**
 * Writes `docs/reference/errors.md` from the tables of codes in the SDK and the host, so that the page cannot say anything else:
 * `node scripts/generate/make-error-table.mjs`. The test beside this file fails while the page is out of date.
 */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repositoryRoot } from '../report.mjs'

export const errorPage = join(repositoryRoot, 'docs', 'reference', 'errors.md')

/**
 * @param {{ readonly [code: string]: string }} codes of the SDK
 * @param {{ readonly [code: string]: string }} hostCodes
 * @returns {string} the whole page
 */
export function toErrorPage(codes, hostCodes) {
  return `# Error codes

<!-- Made by scripts/generate/make-error-table.mjs from packages/sdk/src/jsonrpc/errors.ts and packages/host/src/errors.ts. Change the
tables there. -->

Every error that the SDK throws is a \`PorticoError\` with one of these as its \`code\`. How errors travel between client
and server is in the guide: [Errors](../guide/errors.md).

| code | meaning |
|---|---|
${toRows(codes)}

The host, the gateway and what is built on them also throw \`HostError\`, with one of these as its \`code\`; its \`data\`
says what to do.

| code | meaning |
|---|---|
${toRows(hostCodes)}
`
}

function toRows(codes) {
  return Object.entries(codes)
    .map(([code, meaning]) => `| \`${code}\` | ${meaning.replaceAll('|', '\\|')} |`)
    .join('\n')
}

const script = process.argv[1]
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) {
  const { tsImport } = await import('tsx/esm/api')
  const { ERROR_CODES } = await tsImport('../../packages/sdk/src/jsonrpc/errors.ts', import.meta.url)
  const { HOST_ERROR_CODES } = await tsImport('../../packages/host/src/errors.ts', import.meta.url)
  mkdirSync(dirname(errorPage), { recursive: true })
  writeFileSync(errorPage, toErrorPage(ERROR_CODES, HOST_ERROR_CODES))
}
