import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMAND_GROUPS } from '../../packages/app/src/cli/parse/command-table.ts'
import * as help from '../../packages/app/src/cli/parse/help.ts'
import { COMMON_FLAGS } from '../../packages/app/src/cli/parse/parse.ts'
import { EXIT_CODES } from '../../packages/app/src/exit-codes.ts'
import { repositoryRoot } from '../report.mjs'
import { stalePages } from './make.mjs'
import { toCommandPages } from './make-commands.mjs'

const parts = { groups: COMMAND_GROUPS, common: COMMON_FLAGS, exitCodes: EXIT_CODES, help }

test('the pages of commands are what the declarations make them (if not: node scripts/generate/make-commands.mjs)', () => {
  const pages = toCommandPages(parts)
  expect(stalePages(pages)).toEqual([])
  const files = readdirSync(join(repositoryRoot, 'docs/reference/commands')).map(
    (name) => `docs/reference/commands/${name}`,
  )
  expect(files.sort()).toEqual([...pages.keys()].sort())
})

test('a command that is added gets a page, with its options', () => {
  const flags = { port: { type: 'number', about: 'Where it listens.', fallback: '3000' } }
  const added = { name: 'added', about: 'Is new.', positionals: [], flags, examples: [], load: async () => {} }
  const pages = toCommandPages({ ...parts, groups: [{ title: 'try', commands: [added] }] })
  expect(pages.get('docs/reference/commands/README.md')).toContain('| [`added`](added.md) | Is new. |')
  expect(pages.get('docs/reference/commands/added.md')).toContain('| `--port <number>` | Where it listens. (3000) |')
})
