/** The example that lists a machine's servers, run on a home folder of its own. */

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = fileURLToPath(new URL('../scripts/run.mjs', import.meta.url))
const example = fileURLToPath(new URL('configured-servers.ts', import.meta.url))

test('shows what each server would start, and only the names of those that nobody trusts', async () => {
  const home = await mkdtemp(join(tmpdir(), 'configured-'))
  const project = join(home, 'project')
  await mkdir(join(home, '.cursor'))
  await mkdir(project)
  await writeFile(
    join(home, '.cursor', 'mcp.json'),
    '{"mcpServers": {"a": {"command": "npx", "args": ["some-server"]}}}',
  )
  await writeFile(join(project, '.mcp.json'), '{"mcpServers": {"b": {"command": "secret-program"}}}')
  const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home }
  const { stdout } = await promisify(execFile)(process.execPath, [run, example], { cwd: project, env })
  expect(stdout).toContain('npx some-server\n  caution: Fetches whatever version of some-server')
  expect(stdout).toMatch(/project.\.mcp\.json wants to add: b\n/)
  expect(stdout).not.toContain('secret-program')
  expect(stdout).toContain('1 servers')
  await rm(home, { recursive: true, force: true })
})
