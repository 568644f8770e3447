import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HOST_ERROR_CODES } from '../../packages/host/src/errors.ts'
import { ERROR_CODES } from '../../packages/sdk/src/jsonrpc/errors.ts'
import { errorPage, toErrorPage } from './make-error-table.mjs'

test('the error page is what the table of codes makes it (if not: node scripts/generate/make-error-table.mjs)', () => {
  expect(readFileSync(errorPage, 'utf8')).toBe(toErrorPage(ERROR_CODES, HOST_ERROR_CODES))
})

test('a code that is added to the table shows on the page', () => {
  expect(toErrorPage({}, { 'new-code': 'Means a | b.' })).toContain('| `new-code` | Means a \\| b. |\n')
})
