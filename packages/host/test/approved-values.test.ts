import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createAdmission } from '../src/assembly/admission.ts'
import { createHost, type Host } from '../src/assembly/host.ts'
import type { HostOptions } from '../src/assembly/options.ts'
import type { ResolveContext } from '../src/config/command/resolve-target.ts'
import { defineServer } from '../src/config/define-server.ts'
import type { ServerConfig, ServerTarget } from '../src/config/server-config.ts'
import { approvalSubjectOf } from '../src/config/trust/approval-subject.ts'
import type { Question } from '../src/consent/question.ts'

let cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  cleanups = []
})

async function makeFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'portico-approved-')))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a host, says always to whatever is asked, and tells what was asked once the server has been tried. */
async function tryOnce(options: HostOptions): Promise<string[]> {
  const shown: string[] = []
  const host = await createHost({
    ...options,
    ask: ({ body }: Question) => {
      if (body.kind === 'approval' && body.effect.kind === 'connect') shown.push(body.effect.shown)
      return { action: 'allow', remember: 'always' }
    },
  })
  await tried(host)
  await host.close()
  return shown
}

const tried = (host: Host): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (['failed', 'ready'].includes(host.upstreams.view('dev')?.state.state ?? '')) resolve()
    }
    host.upstreams.on('state', look)
    look()
  })

const program = (part: Partial<Extract<ServerTarget, { kind: 'stdio' }>>): ServerConfig =>
  defineServer('dev', { kind: 'stdio', command: process.execPath, args: ['--version'], env: {}, ...part })
const web = (part: { readonly url?: string; readonly headers?: { readonly [name: string]: string } }): ServerConfig =>
  defineServer('dev', { kind: 'http', url: 'http://127.0.0.1:9/', headers: {}, ...part })

describe('an approval holds for the values of that moment (host 1, sec-202)', () => {
  it("does not run another project's code, and shows the project's own path", async () => {
    const [stateDir, a, b] = await Promise.all([makeFolder(), makeFolder(), makeFolder()])
    for (const folder of [a, b]) {
      await writeFile(
        join(folder, 'mcp.mjs'),
        `import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(join(folder, 'ran'))}, '')`,
      )
    }
    const servers = [program({ args: [`\${workspaceFolder}/mcp.mjs`] })]
    const first = await tryOnce({ stateDir, servers, workspace: a })
    expect(first).toEqual([expect.stringContaining(join(a, 'mcp.mjs'))])
    expect(await tryOnce({ stateDir, servers, workspace: a })).toEqual([])
    expect(await tryOnce({ stateDir, servers, workspace: b })).toEqual([expect.stringContaining(join(b, 'mcp.mjs'))])
  })

  const where = (part: string): ServerConfig => {
    const value = `\${CTL}`
    switch (part) {
      case 'command':
        return program({ command: value })
      case 'args':
        return program({ args: ['--version', value] })
      case 'cwd':
        return program({ cwd: value })
      case 'env':
        return program({ env: { MODE: value } })
      case 'url':
        return web({ url: `http://127.0.0.1:9/${value}` })
      default:
        return web({ headers: { 'x-mode': value } })
    }
  }

  it.each(['command', 'args', 'cwd', 'env', 'url', 'headers'])(
    'asks again for another value in %s, once each',
    async (part) => {
      const [stateDir, one, two] = await Promise.all([makeFolder(), makeFolder(), makeFolder()])
      const servers = [where(part)]
      const runs: string[][] = []
      for (const CTL of [one, one, two, two])
        runs.push(await tryOnce({ stateDir, servers, env: { ...process.env, CTL } }))
      expect(runs.map((asked) => asked.length)).toEqual([1, 0, 1, 0])
      expect(runs[0]?.[0]).toContain(one)
      expect(runs[2]?.[0]).toContain(two)
    },
  )

  it('asks again for another secret, and never shows or keeps one', async () => {
    const stateDir = await makeFolder()
    const servers = [program({ env: { API_KEY: `\${secret:k}`, OTHER: `\${secret:k}` } })]
    const runs: string[][] = []
    for (const value of ['canary-aaaa', 'canary-aaaa', 'canary-bbbb']) {
      runs.push(await tryOnce({ stateDir, servers, secrets: { get: async () => value } }))
    }
    expect(runs.map((asked) => asked.length)).toEqual([1, 0, 1])
    expect(runs.flat().join()).not.toContain('canary')
    expect(runs[0]?.[0]).toContain(`\${secret:k}`)
    expect(await readFile(join(stateDir, 'grants.json'), 'utf8')).not.toContain('canary')
  })

  it('asks again where an earlier version has approved the entry as it is written', async () => {
    const stateDir = await makeFolder()
    const config = program({})
    const grant = {
      id: 'g',
      action: 'allow',
      remember: 'always',
      kind: 'connect',
      server: 'dev',
      breadth: 'item',
      at: 1,
    }
    for (const old of [{ ...grant, fingerprint: config.fingerprint }, grant]) {
      await writeFile(join(stateDir, 'grants.json'), JSON.stringify({ version: 1, grants: [old] }))
      expect(await tryOnce({ stateDir, servers: [config] })).toHaveLength(1)
    }
  })

  it('does not connect to what changed between the yes and the start', async () => {
    const env: { [name: string]: string } = { CTL: 'before' }
    const admission = createAdmission({
      looksUp: false,
      guard: () => ({
        pass: async (effect) => ({ effect, decision: { outcome: 'allow', reason: '' }, finish: () => {} }),
        explain: () => Promise.reject(new Error()),
        review: () => Promise.reject(new Error()),
      }),
      circumstances: () => ({ session: 's', unattended: false, tainted: false, at: 0 }),
      context: { env },
    })
    const config = program({ args: [`\${CTL}`] })
    await admission.admit(config)
    expect((await admission.resolve(config, {})).target).toMatchObject({ args: ['before'] })
    env.CTL = 'after'
    await expect(admission.resolve(config, {})).rejects.toMatchObject({ code: 'denied' })
  })
})

describe('what the folder decides is part of what is approved (host 1, sec-202)', () => {
  const subject = (target: ServerTarget, context: ResolveContext = {}) =>
    approvalSubjectOf(defineServer('dev', target), context)
  const stdio = (command: string, args: readonly string[], cwd: string): ServerTarget => ({
    kind: 'stdio',
    command,
    args,
    cwd,
    env: {},
  })

  it.each([
    ['a script by its relative path', 'node', ['mcp.mjs']],
    ['a script without its ending', 'node', ['mcp']],
    ['a value of an option', 'node', ['--import=./mcp.mjs', '/x.mjs']],
    ['a program by its relative path', './run', []],
    ['a script of the project', 'npm', ['run', 'mcp']],
    ['a shell', 'sh', ['-c', 'node /x.mjs']],
    ['a package that the project has installed', 'npx', ['-y', 'demo-pkg']],
    // Whatever else a program may read from the folder that it is started in (attack B1 to B4).
    ['a module of Python that imports others', 'python3', ['-m', 'json.tool']],
    ['a package runner with settings of the project', 'npx', ['-y', 'elsewhere@1.0.0']],
    ['a loader by its bare name', 'node', ['--import', 'tsx', '/abs/server.mjs']],
    ['a wrapper', 'nice', ['npx', '-y', 'elsewhere@1.0.0']],
    ['an alias', 'git', ['mcp']],
    ['a program by its whole path', process.execPath, ['/abs/server.mjs']],
  ])('%s', async (_name, command, args) => {
    const [a, b] = await Promise.all([makeFolder(), makeFolder()])
    for (const folder of [a, b]) {
      await mkdir(join(folder, 'node_modules', 'demo-pkg'), { recursive: true })
      await writeFile(join(folder, 'mcp.mjs'), '')
      await writeFile(join(folder, 'run'), '')
    }
    const [before, after] = await Promise.all([subject(stdio(command, args, a)), subject(stdio(command, args, b))])
    expect(before.fingerprint).not.toBe(after.fingerprint)
    expect(before.shown + before.notes.join()).toContain(a)
  })

  it('without a folder of its own, the one of this process counts', async () => {
    const { shown } = await subject({ kind: 'stdio', command: 'node', args: ['package.json'], env: {} })
    expect(shown).toContain(process.cwd())
  })

  it('a name on the search path is the program that it means', async () => {
    const [a, b] = await Promise.all([makeFolder(), makeFolder()])
    for (const folder of [a, b]) {
      await writeFile(join(folder, 'tool.exe'), '')
      await chmod(join(folder, 'tool.exe'), 0o700)
    }
    const at = (path: string) => {
      const target: ServerTarget = { kind: 'stdio', command: 'tool.exe', args: [], env: {} }
      const before = process.env.PATH
      process.env.PATH = path
      return subject(target).finally(() => {
        process.env.PATH = before
      })
    }
    expect((await at(a)).fingerprint).not.toBe((await at(b)).fingerprint)
  })

  it('hides what looks or is named like a secret, and nothing else', async () => {
    const folder = await makeFolder()
    await writeFile(join(folder, '.env'), 'PLAIN=canary-file\nNODE_OPTIONS=--require /evil.cjs\n')
    const env = { MY_TOKEN: 'canary-token', PAGE: 'open-value', GH: `ghp_${'a'.repeat(36)}`, CODE_TOKEN: '-e evil()' }
    const { shown } = await subject(
      {
        kind: 'stdio',
        command: 'x',
        args: [`\${PAGE}`, `\${GH}`, `\${CODE_TOKEN}`, `\${MY_TOKEN}`],
        env: { A: `\${MY_TOKEN}`, SESSION_TOKEN: `\${PAGE}` },
        envFile: `\${workspaceFolder}/.env`,
      },
      { env, workspaceFolder: folder },
    )
    expect(shown).not.toContain('canary')
    expect(shown).not.toContain('ghp_')
    for (const seen of ['open-value', '-e evil()', '/evil.cjs', join(folder, '.env'), `A=\${MY_TOKEN}`]) {
      expect(shown).toContain(seen)
    }
  })
})
