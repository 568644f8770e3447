import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { type Client, type ConnectOptions, connect } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toPng } from './png.ts'
import { createScreenServer } from './server.ts'
import { fromWindowDump } from './x11-dump.ts'

const HAS_X11 = ['/usr/bin/Xvfb', '/usr/bin/xwd', '/usr/bin/xwininfo', '/usr/bin/xclock'].every((path) =>
  existsSync(path),
)

const cleanups: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

async function start(
  options: Parameters<typeof createScreenServer>[0],
  connectOptions: ConnectOptions = {},
): Promise<Client> {
  const { server, close } = await createScreenServer(options)
  cleanups.push(close)
  const client = await connect(server, connectOptions)
  cleanups.push(() => client.close())
  return client
}

it('packs pixels as PNG', () => {
  const png = toPng(2, 1, Buffer.from([255, 0, 0, 0, 255, 0]))
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  const at = png.indexOf('IDAT')
  const length = png.readUInt32BE(at - 4)
  expect([...inflateSync(png.subarray(at + 4, at + 4 + length))]).toEqual([0, 255, 0, 0, 0, 255, 0])
})

it.each([Buffer.alloc(0), Buffer.alloc(99), Buffer.alloc(200), Buffer.alloc(200, 7)])(
  'refuses a dump that is none',
  (dump) => {
    expect(() => fromWindowDump(dump)).toThrow(/cannot be read/)
  },
)

it('says what is missing where there is no screen', async () => {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  delete process.env.DISPLAY
  delete process.env.WAYLAND_DISPLAY
  const client = await start({ ask: false })
  const result = await client.callTool('screenshot')
  if (process.platform === 'linux') expect(JSON.stringify(result.content)).toContain('display')
  if (DISPLAY !== undefined) process.env.DISPLAY = DISPLAY
  if (WAYLAND_DISPLAY !== undefined) process.env.WAYLAND_DISPLAY = WAYLAND_DISPLAY
})

describe.skipIf(!HAS_X11)('a real X11 screen', () => {
  let screen: ChildProcess
  let display: string

  beforeAll(async () => {
    screen = spawn('/usr/bin/Xvfb', ['-displayfd', '3', '-screen', '0', '320x200x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    display = await new Promise<string>((done, failed) => {
      screen.stdio[3]?.once('data', (chunk: Buffer) => done(`:${String(chunk).trim()}`))
      screen.once('error', failed)
    })
  })
  afterAll(() => void screen.kill())

  const isPng = (data: string | undefined) =>
    Buffer.from(data ?? '', 'base64')
      .subarray(1, 4)
      .toString() === 'PNG'

  it.each(['2025-06-18', '2026-07-28'] as const)(
    'on %s asks once, then takes pictures for tools and resources',
    async (versions) => {
      const asked: string[] = []
      const form = ({ message }: { message: string }) => {
        asked.push(message)
        return { action: 'accept' as const, content: { confirm: true } }
      }
      const client = await start({ display }, { versions, elicitation: { form } })
      const shot = await client.callTool('screenshot')
      const image = shot.content.find(({ type }) => type === 'image')
      expect(image?.type === 'image' && isPng(image.data), JSON.stringify(shot.content).slice(0, 200)).toBe(true)
      const read = await client.readResource('screen://display/0')
      expect(isPng(read.contents[0] && 'blob' in read.contents[0] ? String(read.contents[0].blob) : '')).toBe(true)
      expect(asked).toHaveLength(1)
    },
  )

  it.each(['2025-06-18', '2026-07-28'] as const)(
    'keeps the last pictures as resources, tells of them, and gives a link, on %s (founding 6)',
    async (versions) => {
      const client = await start({ display, ask: false, keepCaptures: 2 }, { versions })
      const captures = async () =>
        (await client.listResources()).map(({ uri }) => uri).filter((uri) => uri.startsWith('screen://capture/'))
      let told = (): void => {}
      const heard = new Promise<void>((done) => {
        told = done
      })
      await client.subscribe({ resourcesListChanged: true }, (change) => change.kind === 'resources' && told())
      expect(await captures()).toEqual([])
      const links: string[] = []
      for (let at = 0; at < 3; at++) {
        const { content } = await client.callTool('screenshot')
        links.push(...content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : [])))
      }
      await heard
      expect(links).toHaveLength(3)
      expect(await captures()).toEqual(links.slice(1).reverse())
      const { contents } = await client.readResource(links[2] ?? '')
      expect(isPng(contents[0] && 'blob' in contents[0] ? String(contents[0].blob) : '')).toBe(true)
      await expect(client.readResource(links[0] ?? '')).rejects.toThrow()
      const without = await start({ display, ask: false, keepCaptures: 0 }, { versions })
      expect((await without.callTool('screenshot')).content.map(({ type }) => type)).toEqual(['text', 'image'])
    },
  )

  it('takes no picture after a no, and none where nobody can be asked', async () => {
    const refusing = await start({ display }, { elicitation: { form: () => ({ action: 'decline' }) } })
    expect((await refusing.callTool('screenshot')).isError).toBe(true)
    await expect(refusing.readResource('screen://display/0')).rejects.toThrow()
    const mute = await start({ display })
    expect(JSON.stringify((await mute.callTool('list_screens')).content)).toContain('allowUnasked')
  })

  it.each(['-root', '1;id', '$(id)', '../1', '0x1'])(
    'takes digits alone for a window: %s (sec-122)',
    async (window) => {
      const client = await start({ display, ask: false })
      expect((await client.callTool('screenshot', { window })).isError).toBe(true)
      await expect(client.readResource(`screen://window/${encodeURIComponent(window)}`)).rejects.toThrow()
    },
  )

  it('servers 25: a screen or window that is not there is said so at once', async () => {
    const client = await start({ display, ask: false })
    for (const [args, words] of [
      [{ display: 5 }, 'There is no screen 5. There is: 0 ('],
      [{ window: '99999999' }, 'There is no window 99999999'],
    ] as const) {
      expect(JSON.stringify((await client.callTool('screenshot', { ...args })).content)).toContain(words)
    }
    await expect(client.readResource('screen://display/1')).rejects.toThrow(/no screen 1/)
    const gone = await start({ display: ':9876', ask: false })
    const answer = JSON.stringify((await gone.callTool('screenshot')).content)
    const listed = await gone.callTool('list_screens')
    expect([listed.isError, JSON.stringify(listed.content)]).toEqual([true, answer])
    expect(answer).toContain('9876')
    expect(answer).not.toMatch(/window/i)
  })

  it('tells subscribers when the picture changes', async () => {
    const client = await start({ display, ask: false, watchMs: 50 })
    const changed = new Promise<void>((done) => void client.subscribe('screen://display/0', () => done()))
    // A clock that shows seconds: the screen changes when it comes, and goes on changing.
    const clock = spawn('/usr/bin/xclock', ['-digital', '-update', '1', '-strftime', '%S'], {
      env: { DISPLAY: display },
      stdio: 'ignore',
    })
    await changed
    clock.kill()
  })
})
