import { createServer as listen } from 'node:http'
import type { AddressInfo } from 'node:net'
import { release } from 'node:os'
import { type Client, type ConnectOptions, connect } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readArchive } from './archive.ts'
import type { RunOptions } from './options.ts'
import { createRunServer } from './server.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

async function start(options: RunOptions = {}, connectOptions: ConnectOptions = {}): Promise<Client> {
  const { server, close } = await createRunServer({ structured: true, ...options })
  cleanups.push(close)
  const client = await connect(server, connectOptions)
  cleanups.push(() => client.close())
  return client
}

interface Result {
  ok: boolean
  ending: string
  exitCode: number | null
  stdout: string
  stderr: string
  value?: string
  note?: string
  uri: string
  files: { path: string; bytes: number; uri: string; text?: string }[]
}

async function call(client: Client, name: string, args: object): Promise<Result> {
  const result = await client.callTool(name, { ...args })
  expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
  // The tool's output schema says so.
  return result.structuredContent as unknown as Result
}

describe('JavaScript', () => {
  let client: Client
  beforeAll(async () => {
    client = await start({ ask: false, timeMs: 60_000, memoryBytes: 16_777_216, outputBytes: 10_000 })
  })
  const run = (code: string, more = {}) => call(client, 'run_javascript', { code, ...more })

  it('prints, comes to a value, waits for promises and timers', async () => {
    const script = await run("console.log('hi', { a: 1n }); [1, 2, 3].map((n) => n * 2)")
    expect(script).toMatchObject({ ok: true, ending: 'finished', stdout: 'hi {"a":"1n"}\n', value: '[2,4,6]' })
    const module = await run('const x = await new Promise((done) => setTimeout(done, 5, 7)); export default x')
    expect(module).toMatchObject({ ok: true, value: '7' })
    const bare = await run('export const y = 1; y + 1')
    expect(bare.value).toBeUndefined()
    expect(bare.note).toContain('export default')
    const { content } = await client.callTool('run_javascript', { code: '1+1' })
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^ok: true\nvalue: 2\nuri: run:\S+$/) }])
  })

  it.each([
    ['const r = await Promise.resolve(41); r + 1', '42'],
    ["const s = '; export default'; await null; s", '; export default'],
    ['await Promise.resolve(3)', '3'],
    ["new Map([['a', new Set([1])]])", '{"Map":[["a",{"Set":[1]}]]}'],
    [
      'const a = { n: 1 }; a.self = a; a.list = [a, { deep: a }]; a',
      '{"n":1,"self":"[circle]","list":["[circle]",{"deep":"[circle]"}]}',
    ],
    ['const twice = {}; [twice, twice]', '[{},{}]'],
    ["[new Error('no')]", '["Error: no"]'],
  ])('servers 16: %s comes to a value that says something', async (code, value) => {
    expect(await run(code)).toMatchObject({ ok: true, value })
  })

  it.each([
    'const a = { toJSON() { for (;;) {} } }; export default a',
    '({ get a() { for (;;) {} } })',
    '({ toJSON() { throw 1 }, toString() { for (;;) {} } })',
    'new Proxy({}, { ownKeys() { for (;;) {} } })',
    'throw { toString() { for (;;) {} }, toJSON() { throw 1 } }',
  ])('sec-737: %s is held to its time while its result is put into words', async (code) => {
    const brief = await start({ ask: false, timeMs: 1000, memoryBytes: 16_777_216 })
    expect(await call(brief, 'run_javascript', { code })).toMatchObject({ ok: false, ending: 'time' })
  })

  it('sec-737: a result that takes too much memory to be put into words is out of memory', async () => {
    const code = "({ toJSON() { const all = []; for (;;) all.push('x'.repeat(100000) + all.length) } })"
    expect(await run(code)).toMatchObject({ ok: false, ending: 'memory' })
  })

  it('servers 16: an error after a wait is an error', async () => {
    expect(await run("await null; throw new TypeError('late')")).toMatchObject({ ok: false, ending: 'failed' })
  })

  it('takes files and gives back what changed, as resources too', async () => {
    const files = [
      { path: 'in.txt', text: 'abc' },
      { path: 'same.txt', text: 'x' },
    ]
    const result = await run("files.write('out/up.txt', files.read('in.txt').toUpperCase()); files.list().length", {
      files,
    })
    expect(result.value).toBe('3')
    expect(result.files).toMatchObject([{ path: 'out/up.txt', bytes: 3, text: 'ABC' }])
    const read = await client.readResource(result.files[0]?.uri ?? '')
    expect(JSON.stringify(read.contents)).toContain('ABC')
    expect((await client.listResources()).some(({ uri }) => uri === result.uri)).toBe(true)
  })

  it('has no way to the machine', async () => {
    const names = ['require', 'process', 'fetch', 'std', 'os', 'Worker', 'WebAssembly']
    const code = `const seen = ${JSON.stringify(names)}.filter((name) => name in globalThis)
      seen.push((() => {}).constructor('return typeof process')(), console.log.constructor('return typeof process')())
      seen.join()`
    expect(await run(code)).toMatchObject({ ok: true, value: 'undefined,undefined' })
  })

  it('sec-693: has no memory that the engine would not count', async () => {
    const code = `let made = 0
      try { for (; made < 5; made++) globalThis['kept' + made] = new SharedArrayBuffer(20_000_000) } catch {}
      made`
    expect(await run(code)).toMatchObject({ ok: true, value: '0' })
  })

  it('imports nothing of the machine', async () => {
    const result = await run(
      "import { readFileSync } from 'node:fs'; export default readFileSync('/etc/passwd', 'utf8')",
    )
    expect(result).toMatchObject({ ok: false, ending: 'failed', files: [] })
    expect(result.stdout + (result.value ?? '')).not.toContain('root:')
  })

  it.each([
    ['const all = []; for (;;) all.push({ n: all.length })', 'memory', 'memoryBytes'],
    ["for (;;) console.log('x'.repeat(100))", 'output', 'outputBytes'],
  ])('ends %s by its bound and names the option', async (code, ending, option) => {
    const result = await run(code)
    expect(result).toMatchObject({ ok: false, ending })
    expect(result.note).toContain(option)
  })

  it('ends what runs for ever, whatever it catches', async () => {
    const impatient = await start({ ask: false, timeMs: 300 })
    const result = await call(impatient, 'run_javascript', { code: 'try { for (;;) {} } finally { for (;;) {} }' })
    expect(result).toMatchObject({ ok: false, ending: 'time' })
    expect(result.note).toContain('timeMs')
  })

  it('survives deep recursion and says what was thrown, without terminal sequences (sec-125)', async () => {
    const deep =
      "let deep; try { (function f() { return f() + 1 })() } catch (error) { deep = error }; console.log(deep.name, '\\u001b[31mred\\u202e')"
    const result = await run(`${deep}; throw new TypeError('no good')`)
    expect(result).toMatchObject({ ok: false, ending: 'failed', stdout: expect.stringMatching(/Error red\n$/) })
    expect(result.stderr).toContain('no good')
  })

  it.each(['../x', '/etc/passwd', 'a/../b', 'a\\b', 'C:x', ''])(
    'refuses the file name "%s" (sec-122)',
    async (path) => {
      const result = await client.callTool('run_javascript', { code: '1', files: [{ path, text: '' }] })
      expect(result.isError).toBe(true)
    },
  )
})

describe.each(['2025-06-18', '2026-07-28'] as const)('before a run, on %s', (versions) => {
  it('asks with the whole code, runs after a yes and not after a no', async () => {
    const asked: string[] = []
    let answer: 'accept' | 'decline' = 'accept'
    const form = ({ message }: { message: string }) => {
      asked.push(message)
      return answer === 'accept' ? { action: 'accept' as const, content: { confirm: true } } : { action: answer }
    }
    const client = await start({}, { versions, elicitation: { form } })
    expect((await call(client, 'run_javascript', { code: '6 * 7' })).value).toBe('42')
    answer = 'decline'
    expect((await client.callTool('run_javascript', { code: '6 * 8' })).isError).toBe(true)
    expect(asked).toEqual([expect.stringContaining('6 * 7'), expect.stringContaining('6 * 8')])
  })

  it('sec-240: long code is shown part by part without a gap, and a no to any part ends it (servers 10)', async () => {
    const asked: string[] = []
    let yes = Number.POSITIVE_INFINITY
    const form = ({ message }: { message: string }) => {
      asked.push(message)
      return asked.length <= yes
        ? { action: 'accept' as const, content: { confirm: true } }
        : { action: 'decline' as const }
    }
    const client = await start({}, { versions, elicitation: { form } })
    const code = `${Array.from({ length: 900 }, (_, at) => `let v${at} = ${at} // line ${at}`).join('\n')}\nv41 + 1`
    expect((await call(client, 'run_javascript', { code })).value).toBe('42')
    expect(asked.length).toBe(Math.ceil(code.length / 6_000))
    expect(asked.map((message) => message.slice(message.indexOf('\n\n') + 2)).join('')).toBe(code)
    asked.length = 0
    yes = 1
    expect((await client.callTool('run_javascript', { code })).isError).toBe(true)
    expect(asked.length).toBe(2)
  })

  it('all that can be executed is shown, files and standard input as well, without a gap (attack B6, sec-256)', async () => {
    const asked: string[] = []
    const form = ({ message }: { message: string }) => {
      asked.push(message)
      return { action: 'accept' as const, content: { confirm: true } }
    }
    const client = await start({ commands: ['sh', 'cat'], unsandboxed: true }, { versions, elicitation: { form } })
    const text = Array.from({ length: 900 }, (_, at) => `let v${at} = ${at} // line ${at}`).join('\n')
    const tools = await client.listTools()
    for (const { name, inputSchema } of tools.filter(({ name }) => name.startsWith('run_'))) {
      asked.length = 0
      const hasStdin = Object.hasOwn(Object(inputSchema.properties), 'stdin')
      const main = name === 'run_command' ? { command: 'cat' } : { code: '1' }
      const files = [{ path: 'a.js', text }]
      await client.callTool(name, { ...main, files, ...(hasStdin && { stdin: `# typed\n${text}` }) })
      const shown = asked.map((message) => message.slice(message.indexOf('\n\n') + 2)).join('')
      expect(shown, name).toContain(`File "a.js" (${text.length} characters):\n${text}`)
      if (hasStdin) expect(shown, name).toContain(`:\n# typed\n${text}`)
    }
  })

  it('refuses where nobody can be asked, and names the option', async () => {
    const client = await start({}, { versions })
    const refused = await client.callTool('run_javascript', { code: '1' })
    expect(refused.isError).toBe(true)
    expect(JSON.stringify(refused.content)).toContain('allowUnasked')
  })
})

describe('programs of the machine', async () => {
  const probe = await createRunServer({ structured: true })
  const told = await connect(probe.server)
  const { structuredContent } = await told.callTool('isolation')
  const { sandbox, python } = structuredContent as { sandbox: string; python: string }
  const hasSandbox = sandbox !== 'refused' && !python.startsWith('Refused')
  await told.close()
  await probe.close()

  it.skipIf(hasSandbox)('are refused in plain words where there is no sandbox', async () => {
    expect(python).toMatch(/Refused/)
  })

  describe.skipIf(!hasSandbox)(`in ${sandbox}`, () => {
    let client: Client
    /** For what ends by its time alone; everything else has more than a busy machine needs. */
    let hasty: Client
    beforeAll(async () => {
      process.env.PORTICO_TEST_SECRET = 'do not tell'
      const commands = ['sh', 'cat', 'ln']
      const limits = {
        timeMs: 60_000,
        memoryBytes: 67_108_864,
        fileBytes: 1_000_000,
        outputBytes: 20_000,
        maxProcesses: 20,
      }
      client = await start({ ask: false, commands, ...limits })
      hasty = await start({ ask: false, commands, ...limits, timeMs: 1_500 })
    })
    const run = (code: string, more = {}) => call(client, 'run_python', { code, ...more })
    const shell = (script: string, more = {}) =>
      call(client, 'run_command', { command: 'sh', args: ['-c', script], ...more })

    it('runs Python with files in and out', async () => {
      const code = "import sys\nopen('out.txt','w').write(open('in.txt').read()*2)\nprint(sys.stdin.read(), 6*7)"
      const result = await run(code, { files: [{ path: 'in.txt', text: 'ab' }], stdin: 'hello' })
      expect(result).toMatchObject({ ok: true, exitCode: 0, stdout: 'hello 42\n' })
      expect(result.files).toMatchObject([{ path: 'out.txt', text: 'abab' }])
      expect(await run('import sys; sys.exit(3)')).toMatchObject({ ok: false, ending: 'failed', exitCode: 3 })
    })

    it('reaches no listener of this machine, by address or by socket', async () => {
      let reached = 0
      const listener = listen((_request, response) => {
        reached++
        response.end()
      })
      await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
      const { port } = listener.address() as AddressInfo
      const code = `import socket\ntry:\n  socket.create_connection(('127.0.0.1', ${port}), 1)\n  print('reached')\nexcept OSError as error:\n  print('held', error)`
      expect((await run(code)).stdout).toMatch(/^held/)
      expect(reached).toBe(0)
      await new Promise((done) => listener.close(done))
    })

    it('sees no environment, no home, no processes of others, no privileges', async () => {
      const told = await shell(
        'env; ls /root /home /proc; ls -a / ; grep -E "CapEff|NoNewPrivs" /proc/self/status; cat /etc/passwd /etc/shadow',
      )
      expect(told.stdout).not.toMatch(/do not tell|PORTICO/)
      expect(told.stdout).not.toMatch(/^root:/m)
      expect(told.stdout).toMatch(/CapEff:\s+0+$/m)
      expect(told.stdout).toMatch(/NoNewPrivs:\s+1/)
      expect(told.stdout.split('\n').filter((line) => /^\d+$/.test(line)).length).toBeLessThan(10)
    })

    it.each([
      'touch /usr/pwned',
      'touch /pwned',
      'mount -o remount,rw /usr && touch /usr/pwned',
      'unshare -Ur true',
      'echo x > /proc/sys/kernel/core_pattern',
      'kill -0 $PPID 2>/dev/null && test "$PPID" -gt 100',
    ])('cannot: %s', async (script) => {
      expect((await shell(script)).exitCode).not.toBe(0)
    })

    it.each(['while :; do :; done', 'sleep 100 & sleep 100'])('ends `%s` when its time is over', async (script) => {
      const ended = await call(hasty, 'run_command', { command: 'sh', args: ['-c', script] })
      expect(ended).toMatchObject({ ok: false, ending: 'time' })
    })

    it('ends what writes without end when it has written enough', async () => {
      const ended = await shell('while :; do echo 0123456789; done')
      expect(ended).toMatchObject({ ok: false, ending: 'output' })
    })

    it('bounds memory, of one process and of all together', async () => {
      const alone = await run("x = 'y' * 500_000_000; print(len(x))")
      expect(alone).toMatchObject({ ok: false, stdout: '' })
      const together = await run(
        'import os, time\nfor _ in range(6):\n  if os.fork() == 0:\n    x = bytearray(40_000_000)\n    time.sleep(30)\ntime.sleep(30)',
      )
      expect(together).toMatchObject({ ok: false, ending: 'memory' })
    })

    it.each([
      [
        'files in memory that are open and nowhere mapped',
        "import os, time\nfor _ in range(150):\n  os.write(os.memfd_create('x'), b'x' * 900_000)\ntime.sleep(100)",
      ],
      [
        'files in memory that a thread alone has open',
        "import ctypes, os, threading, time\ndef fill():\n  ctypes.CDLL(None).unshare(0x400)\n  for _ in range(150):\n    os.write(os.memfd_create('x'), b'x' * 900_000)\n  time.sleep(100)\nthreading.Thread(target=fill).start()\ntime.sleep(100)",
      ],
      [
        'shared memory that its process has put out of its tables',
        'import mmap, time\nall = []\nfor _ in range(10):\n  one = mmap.mmap(-1, 12_000_000)\n  one.write(b"x" * 12_000_000)\n  one.madvise(mmap.MADV_DONTNEED)\n  all.append(one)\ntime.sleep(100)',
      ],
      [
        'files in memory that are mapped and no longer open',
        "import ctypes, os, time\nmap = ctypes.CDLL(None).mmap\nmap.restype = ctypes.c_void_p\nfor _ in range(150):\n  fd = os.memfd_create('x')\n  os.write(fd, b'x' * 900_000)\n  map(None, 900_000, 1, 1, fd, 0)\n  os.close(fd)\ntime.sleep(100)",
      ],
    ])('sec-693: counts %s (servers 2)', async (_, code) => {
      const ended = await run(code)
      expect(ended).toMatchObject({ ok: false, ending: 'memory' })
    })

    it('sec-693: has no memory that stays when nobody uses it, where the system lets us say so (servers 2)', async () => {
      const code =
        "import ctypes\nprint(open('/proc/sys/kernel/shmall').read().strip(), ctypes.CDLL(None).shmget(0, 1_000_000, 0o1600))"
      const { stdout } = await run(code)
      const [pages, segment] = stdout.trim().split(' ')
      const [major = 0, minor = 0] = release().split('.').map(Number)
      // Older ones let only the machine's own root change this.
      if (sandbox === 'namespaces' && (major > 6 || (major === 6 && minor >= 12))) expect(pages).toBe('0')
      if (pages === '0') expect(segment).toBe('-1')
    })

    it('bounds files and processes', async () => {
      const full = await shell(
        'head -c 5000000 /dev/zero > a; head -c 900000 /dev/zero > b; head -c 900000 /dev/zero > c; wc -c a b c | tail -1',
      )
      expect(Number(/(\d+) total/.exec(full.stdout)?.[1])).toBeLessThanOrEqual(1_000_000)
      const bomb = await run(
        'import os\nn = 0\ntry:\n  while n < 500:\n    if os.fork() == 0: os.read(0, 1); os._exit(0)\n    n += 1\nexcept OSError: pass\nprint(n)',
      )
      expect(Number(bomb.stdout)).toBeLessThan(25)
    })

    it('gives out no file that is a link to somewhere else (sec-122)', async () => {
      const result = await shell('ln -s /etc/hostname stolen; ln -s / all; echo fine > own')
      expect(result.files.map(({ path }) => path)).toEqual(['own'])
    })

    it('leaves no process behind, whatever hides from its group', async () => {
      const mark = `mark${process.pid}${Date.now()}`
      await shell(`setsid sh -c 'sleep 98.765; : ${mark}' & setsid sleep 98.765 & exit 0`)
      const { stdout } = await shell('cat /proc/[0-9]*/cmdline')
      expect(stdout).not.toContain('98.765')
      const { readdirSync, readFileSync } = await import('node:fs')
      const left = readdirSync('/proc').filter((pid) => {
        if (!/^\d+$/.test(pid)) return false
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
        } catch {
          return false
        }
      })
      expect(left).toEqual([])
    })

    it('takes arguments as they are: no shell, and only the commands that were allowed', async () => {
      const result = await call(client, 'run_command', { command: 'cat', args: ['--', '$(id)', '; id'] })
      expect(result.stderr).toContain('$(id)')
      expect((await client.callTool('run_command', { command: 'id' })).isError).toBe(true)
    })

    it('ends the program when the call is cancelled, and tells of output on the way', async () => {
      const stop = new AbortController()
      const running = client.callTool(
        'run_command',
        { command: 'sh', args: ['-c', 'echo begun; sleep 50'] },
        {
          signal: stop.signal,
          onProgress: ({ message }) => message === 'begun' && stop.abort(),
        },
      )
      await expect(running).rejects.toMatchObject({ code: 'aborted' })
    })
  })
})

describe('the archive that files come out in', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['noise', Buffer.alloc(2_048, 'x')],
    ['a length that lies', Object.assign(Buffer.alloc(1_024), {}).fill('7', 124, 135).fill('a', 0, 1)],
  ])('is bounded and may be %s', (_name, bytes) => {
    expect(readArchive(bytes, 10, 1_000).files).toEqual([])
  })
})
