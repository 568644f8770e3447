/**
 * Writes `docs/reference/errors.md` from the table of codes in the SDK, so that the page cannot say anything else:
 * `node tools/make-error-table.mjs`. The test beside this file fails while the page is out of date.
 */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repositoryRoot } from './report.mjs'

export const errorPage = join(repositoryRoot, 'docs', 'reference', 'errors.md')

/**
 * @param {{ readonly [code: string]: string }} codes
 * @returns {string} the whole page
 */
export function toErrorPage(codes) {
  const rows = Object.entries(codes).map(([code, meaning]) => `| \`${code}\` | ${meaning.replaceAll('|', '\\|')} |`)
  return `# Error codes

<!-- Made by tools/make-error-table.mjs from packages/sdk/src/jsonrpc/errors.ts. Change the table there. -->

Every error that Portico throws is a \`PorticoError\` with one of these as its \`code\`. How errors travel between client
and server is in the guide: [Errors](../guide/errors.md).

| code | meaning |
|---|---|
${rows.join('\n')}
`
}

const script = process.argv[1]
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) {
  const { tsImport } = await import('tsx/esm/api')
  const { ERROR_CODES } = await tsImport('../packages/sdk/src/jsonrpc/errors.ts', import.meta.url)
  mkdirSync(dirname(errorPage), { recursive: true })
  writeFileSync(errorPage, toErrorPage(ERROR_CODES))
}
