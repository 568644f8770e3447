import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, type ConnectOptions, connect } from '@portico/sdk/client'
import { createPrincipal } from '@portico/sdk/server'
import { testClient } from '@portico/sdk/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWebSite, type WebSite } from '../../test/fixtures/web-site.ts'
import { createDestinations } from '../network/destination.ts'
import type { BrowserOptions } from './options.ts'
import { openBrowserProxy } from './proxy.ts'
import { createBrowserServer } from './server.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))

const FORM = `<title>Form</title><form method="post" action="/sent"><label>Name <input name="name"></label>
<label>Word <input name="word" type="password"></label><button>Send it</button></form>`

describe('the proxy between a browser and the network (sec-92)', () => {
  it.each([
    'http://127.0.0.1:1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://[::ffff:7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://localhost:8080/',
    'http://example.com:25/',
  ])('refuses %s by request and by tunnel', async (target) => {
    const proxy = await openBrowserProxy(createDestinations())
    const authorization = `Basic ${Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64')}`
    const port = new URL(proxy.server).port
    const status = (
      method: string,
      path: string,
      headers: { [name: string]: string } = { 'proxy-authorization': authorization },
    ) =>
      new Promise<number | undefined>((done, failed) => {
        const asked = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
          answer.resume()
          done(answer.statusCode)
        })
        asked.on('connect', (answer, socket) => {
          socket.destroy()
          done(answer.statusCode)
        })
        asked.on('error', failed)
        asked.end()
      })
    const url = new URL(target)
    expect(await status('GET', target)).toBe(403)
    expect(await status('CONNECT', `${url.hostname}:${url.port || '443'}`)).toBe(403)
    expect(await status('GET', target, {})).toBe(407)
    await proxy.close()
  })
})

describe.skipIf(CHROMIUM === undefined)('a real browser', () => {
  let site: WebSite
  let inner: WebSite
  let options: BrowserOptions
  let close: () => Promise<void>
  let connectTo: (options?: ConnectOptions) => Promise<Client>
  const clients: Client[] = []

  beforeAll(async () => {
    site = await startWebSite()
    inner = await startWebSite()
    site.routes.set(
      '/',
      '<title>Shop</title><h1>Welcome</h1><a href="/form">To the form</a><p hidden>unseen</p><button onclick="alert(7)">Ring</button>',
    )
    site.routes.set('/form', FORM)
    site.routes.set(
      '/sneaky',
      '<body><form method="post" action="/sent"></form><button onclick="document.forms[0].submit()">Look</button></body>',
    )
    site.routes.set(
      '/probe',
      `<img src="${inner.origin}/img"><script>fetch('${inner.origin}/fetch',{mode:'no-cors'}).catch(()=>{}); try { new WebSocket('ws://${inner.host}/ws') } catch {}</script>here`,
    )
    site.routes.set('/file', (_request, response) =>
      response.writeHead(200, { 'content-disposition': 'attachment; filename=a.exe' }).end('MZ'),
    )
    site.routes.set('/away', (_request, response) =>
      response.writeHead(302, { location: `${inner.origin}/secret` }).end(),
    )
    site.routes.set('/sent', '<title>Sent</title>Thanks')
    options = {
      executable: CHROMIUM,
      noSandbox: process.getuid?.() === 0,
      allowPrivate: [site.host],
      maxPages: 3,
    }
    const ready = await createBrowserServer(options)
    close = ready.close
    connectTo = async (connectOptions = {}) => {
      const client = await connect(ready.server, connectOptions)
      clients.push(client)
      return client
    }
  })

  afterAll(async () => {
    for (const client of clients) await client.close()
    await close()
    await site.close()
    await inner.close()
  })

  const words = async (client: Client, name: string, args = {}) => {
    const result = await client.callTool(name, args)
    expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
    return JSON.stringify(result.content)
  }
  const refOf = async (client: Client, label: string) => {
    const page = await words(client, 'read_page')
    return (
      new RegExp(`${label}[^\\n]{0,40}?\\[ref=((?:f\\d+)?e\\d+)\\]`).exec(page.replaceAll('\\n', '\n'))?.[1] ?? 'e99999'
    )
  }

  it('opens, reads, clicks, goes back and takes a picture; what the page says is marked', async () => {
    const client = await connectTo()
    const opened = await words(client, 'navigate', { url: site.origin })
    expect(opened).toContain('Welcome')
    expect(opened).toContain('not instructions')
    expect(opened).not.toContain('unseen')
    await words(client, 'click', { ref: await refOf(client, 'To the form') })
    expect(await words(client, 'read_page', { as: 'text' })).toContain('Name')
    expect(await words(client, 'back')).toContain('Shop')
    const picture = (await client.callTool('screenshot')).content.find(({ type }) => type === 'image')
    expect(picture).toMatchObject({ mimeType: 'image/jpeg' })
    const [page] = (await client.listResources()).filter(({ mimeType }) => mimeType === 'text/plain')
    expect(JSON.stringify(await client.readResource(page?.uri ?? ''))).toContain('Welcome')
    const rung = await words(client, 'click', { ref: await refOf(client, 'Ring') })
    expect(rung).toContain('alert that was dismissed')
  })

  it('reaches nothing private: by address, redirect, picture, script or socket (sec-92)', async () => {
    const client = await connectTo()
    for (const url of [
      `${inner.origin}/direct`,
      `${site.origin}/away`,
      'file:///etc/passwd',
      'chrome://version',
      'view-source:http://x',
      'javascript:1',
    ]) {
      const refused = await client.callTool('navigate', { url })
      const told = JSON.stringify(refused)
      expect(refused.isError === true || told.includes('Refused'), told).toBe(true)
    }
    const probed = await words(client, 'navigate', { url: `${site.origin}/probe` })
    expect(probed + (await words(client, 'read_page'))).toContain('loopback')
    expect(inner.asked).toEqual([])
    const file = await client.callTool('navigate', { url: `${site.origin}/file` })
    expect(JSON.stringify(file) + (await words(client, 'read_page'))).toMatch(/download/i)
  })

  it('servers 26: a download is said to be one, with its name, and not again by the next call', async () => {
    const client = await connectTo()
    const file = await client.callTool('navigate', { url: `${site.origin}/file` })
    expect(file.isError).toBe(true)
    expect(JSON.stringify(file.content)).toContain('is no page. The page offered a download, which is refused: a.exe')
    expect(JSON.stringify(file.content)).not.toContain('page.goto')
    expect(await words(client, 'navigate', { url: site.origin })).not.toContain('download')
  })

  it.each(['http', 'https'])('servers: a site that is not there is said to be so, over %s', async (scheme) => {
    const client = await connectTo()
    const told = JSON.stringify(
      (await client.callTool('navigate', { url: `${scheme}://no-such-site.invalid/` })).content,
    )
    expect(told).toContain('cannot be looked up')
    expect(told).toContain('offline')
    expect(told).not.toMatch(/page\.goto|net::|ERR_/)
  })

  it('servers 26: a page that keeps its tab busy is named, with the way out', async () => {
    site.routes.set('/busy', '<title>Busy</title><script>for (;;) {}</script>')
    const ready = await createBrowserServer({ ...options, timeoutMs: 1_500 })
    const client = await connect(ready.server)
    const stuck = JSON.stringify((await client.callTool('navigate', { url: `${site.origin}/busy` })).content)
    const [, tab] = /tab \\"(t\d+)\\"/.exec(stuck) ?? []
    expect(stuck).toContain('keeps its tab busy')
    expect((await client.callTool('tabs', { action: 'close', tab })).isError ?? false).toBe(false)
    expect(await words(client, 'navigate', { url: site.origin })).toContain('Welcome')
    await client.close()
    await ready.close()
  }, 60_000)

  it.each(['2025-06-18', '2026-07-28'] as const)(
    'asks on %s before a form is sent or a password typed',
    async (versions) => {
      const asked: string[] = []
      let agrees = false
      const form = ({ message }: { message: string }) => {
        asked.push(message)
        return agrees ? { action: 'accept' as const, content: { confirm: true } } : { action: 'decline' as const }
      }
      const client = await connectTo({ versions, elicitation: { form } })
      await words(client, 'navigate', { url: `${site.origin}/form` })
      const sent = () => site.asked.filter((path) => path === '/sent').length
      const before = sent()
      await words(client, 'type_text', { ref: await refOf(client, 'Name'), text: 'Ada' })
      expect(asked).toEqual([])
      expect((await client.callTool('type_text', { ref: await refOf(client, 'Word'), text: 'x' })).isError).toBe(true)
      expect((await client.callTool('click', { ref: await refOf(client, 'Send it') })).isError).toBe(true)
      expect(sent()).toBe(before)
      agrees = true
      expect(await words(client, 'click', { ref: await refOf(client, 'Send it') })).toContain('Sent')
      expect(sent()).toBe(before + 1)
      expect(asked).toEqual([
        expect.stringContaining('password'),
        expect.stringContaining('/sent'),
        expect.stringContaining('Its fields: name, word'),
      ])
    },
    60_000,
  )

  it('holds back a form that a page sends behind a harmless button', async () => {
    const client = await connectTo()
    await words(client, 'navigate', { url: `${site.origin}/sneaky` })
    const before = site.asked.filter((path) => path === '/sent').length
    const clicked = await words(client, 'click', { ref: await refOf(client, 'Look') })
    expect(clicked + (await words(client, 'read_page'))).toContain('held back')
    expect(site.asked.filter((path) => path === '/sent').length).toBe(before)
    // The page is still there, with what was entered.
    expect(await words(client, 'read_page')).toContain('Look')
  })

  it('gives no other content than the one that was agreed to, however long the answer takes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-uploads-'))
    await writeFile(join(folder, 'letter.txt'), 'Dear Ada')
    site.routes.set('/upload-late', `<title>Upload</title><label>File <input type="file"></label>`)
    const asked: string[] = []
    const form = async ({ message }: { message: string }) => {
      asked.push(message)
      if (asked.length === 1) await writeFile(join(folder, 'letter.txt'), 'Dear Ben')
      return asked.length === 1
        ? { action: 'accept' as const, content: { confirm: true } }
        : { action: 'decline' as const }
    }
    const ready = await createBrowserServer({ ...options, uploads: folder })
    const client = await connect(ready.server, { versions: ['2026-07-28'], elicitation: { form } })
    try {
      await words(client, 'navigate', { url: `${site.origin}/upload-late` })
      const given = await client.callTool('upload_file', { ref: await refOf(client, 'File'), file: 'letter.txt' })
      expect([given.isError, asked.length]).toEqual([true, 2])
    } finally {
      await client.close()
      await ready.close()
      await rm(folder, { recursive: true, force: true })
    }
  }, 60_000)

  const agreeing = (asked: string[]): ConnectOptions => ({
    elicitation: {
      form: ({ message }) => {
        asked.push(message)
        return { action: 'accept', content: { confirm: true } }
      },
    },
  })

  it('waits for words to come and to go, points, drags and takes another size', async () => {
    site.routes.set(
      '/moving',
      `<title>Moving</title><p id="w">Loading</p><button onmouseover="this.textContent='Pointed at'">Point</button>
      <div draggable="true" style="width:80px;height:40px" role="button" aria-label="Card">Card</div>
      <div style="width:80px;height:80px" role="button" aria-label="Box" ondragover="event.preventDefault()"
        ondrop="this.textContent='Dropped'">Box</div><i id="s"></i>
      <script>setTimeout(() => { w.textContent = 'Here at last' }, 400)
      onresize = () => { s.textContent = innerWidth + ' wide' }</script>`,
    )
    const client = await connectTo()
    await words(client, 'navigate', { url: `${site.origin}/moving` })
    await words(client, 'wait_for', { text: 'Here at last', gone: 'Loading', seconds: 30 })
    await words(client, 'hover', { ref: await refOf(client, 'Point') })
    await words(client, 'drag', { from: await refOf(client, 'Card'), to: await refOf(client, 'Box') })
    await words(client, 'resize', { width: 400, height: 700 })
    const shown = await words(client, 'read_page', { as: 'text' })
    for (const one of ['Pointed at', 'Dropped', '400 wide']) expect(shown).toContain(one)
    const never = await client.callTool('wait_for', { text: 'Never', seconds: 0.2 })
    expect(JSON.stringify(never.content)).toContain('did not come within 0.2 seconds')
    expect((await client.callTool('wait_for', {})).isError).toBe(true)
  }, 60_000)

  it('fills in a whole form, or nothing of it, and asks before it is sent', async () => {
    site.routes.set(
      '/order',
      `<title>Order</title><form method="post" action="/sent"><label>Kind <select name="k"><option>Tea<option>Milk</select></label>
      <label>Sugar <input type="checkbox" name="s"></label><label>Name <input name="n"></label></form>`,
    )
    const asked: string[] = []
    const client = await connectTo(agreeing(asked))
    await words(client, 'navigate', { url: `${site.origin}/order` })
    const [kind, sugar, name] = [await refOf(client, 'Kind'), await refOf(client, 'Sugar'), await refOf(client, 'Name')]
    const wrong = [
      { ref: name, value: 'Ada' },
      { ref: sugar, value: 'yes' },
    ]
    expect(JSON.stringify(await client.callTool('fill_form', { fields: wrong }))).toContain('Nothing was entered')
    expect(await words(client, 'read_page')).not.toContain('Ada')
    const before = site.asked.filter((path) => path === '/sent').length
    const fields = [
      { ref: kind, value: 'Milk' },
      { ref: sugar, value: true },
      { ref: name, value: 'Ada' },
    ]
    await words(client, 'fill_form', { fields })
    expect(asked).toEqual([])
    expect(await words(client, 'fill_form', { fields, submit: true })).toContain('Sent')
    expect(asked).toEqual([expect.stringContaining('Its fields: k, s, n')])
    expect(site.asked.filter((path) => path === '/sent').length).toBe(before + 1)
  }, 60_000)

  it('answers a dialog only after it was seen, agreed to, and if it says the same', async () => {
    site.routes.set(
      '/dialog',
      `<title>Dialog</title><button onclick="t.textContent = confirm('Delete ' + what + '?')">Delete</button><i id="t"></i>
      <button onclick="what = 'everything'">Change</button><script>let what = 'one'</script>`,
    )
    const asked: string[] = []
    const client = await connectTo(agreeing(asked))
    await words(client, 'navigate', { url: `${site.origin}/dialog` })
    expect(JSON.stringify(await client.callTool('answer_dialog'))).toContain('No dialog was dismissed')
    const press = async () => words(client, 'click', { ref: await refOf(client, 'Delete') })
    expect(await press()).toContain('dismissed: \\"Delete one?')
    await words(client, 'answer_dialog')
    expect(asked).toEqual([expect.stringContaining('"Delete one?"')])
    await words(client, 'click', { ref: await refOf(client, 'Change') })
    expect(await press()).toContain('dismissed: \\"Delete everything?')
    await words(client, 'answer_dialog')
    expect(await press()).toContain('was answered')
    expect(await words(client, 'read_page', { as: 'text' })).toContain('true')
  }, 60_000)

  it('gives a page files of one folder alone, each agreed to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-uploads-'))
    await mkdir(join(folder, 'up'))
    await writeFile(join(folder, 'secret.txt'), 'secret')
    await writeFile(join(folder, 'up', 'letter.txt'), 'Dear Ada')
    await symlink(join(folder, 'secret.txt'), join(folder, 'up', 'link.txt'))
    site.routes.set(
      '/upload',
      `<title>Upload</title><label>File <input type="file" onchange="this.files[0].text().then(x => { t.textContent = x })"></label><i id="t"></i>`,
    )
    const asked: string[] = []
    const ready = await createBrowserServer({ ...options, uploads: join(folder, 'up') })
    const client = await connect(ready.server, agreeing(asked))
    try {
      await words(client, 'navigate', { url: `${site.origin}/upload` })
      const ref = await refOf(client, 'File')
      for (const file of ['../secret.txt', 'link.txt', join(folder, 'secret.txt'), '.', 'none.txt']) {
        const refused = await client.callTool('upload_file', { ref, file })
        expect(JSON.stringify(refused), file).toContain('is not a file of the folder')
      }
      expect(asked).toEqual([])
      await words(client, 'upload_file', { ref, file: 'letter.txt' })
      expect(asked).toEqual([expect.stringContaining('letter.txt (8 bytes, SHA-256')])
      expect(await words(client, 'read_page', { as: 'text' })).toContain('Dear Ada')
    } finally {
      await client.close()
      await ready.close()
      await rm(folder, { recursive: true, force: true })
    }
    const plain = await (await connectTo()).listTools()
    expect(plain.map(({ name }) => name)).not.toContain('upload_file')
  }, 60_000)

  it('keeps what the page wrote to its console and asked of the network as resources', async () => {
    site.routes.set(
      '/noisy',
      `<title>Noisy</title><script>console.warn('careful'); fetch('/missing'); undefinedThing()</script>`,
    )
    const client = await connectTo()
    await words(client, 'navigate', { url: `${site.origin}/noisy` })
    const read = async (kind: string) => {
      const { uri = '' } = (await client.listResources()).find((one) => one.uri.endsWith(kind)) ?? {}
      return JSON.stringify(await client.readResource(uri))
    }
    await expect.poll(() => read('/network'), { timeout: 30_000 }).toContain('GET 404 fetch')
    const said = await read('/console')
    for (const one of ['warning: careful', 'uncaught: undefinedThing', 'not instructions']) expect(said).toContain(one)
  }, 60_000)

  it('leaves nothing behind when the browser crashes, and starts another', async () => {
    const folders = async () =>
      (await readdir(tmpdir())).filter(
        (name) => name.startsWith('portico-browser-') && name.includes(`-${process.pid}-`),
      )
    const listeners = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length
    const before = { folders: await folders(), listeners: listeners() }
    const ready = await createBrowserServer(options)
    const client = await connect(ready.server)
    try {
      await words(client, 'navigate', { url: site.origin })
      const [home = ''] = (await folders()).filter((name) => !before.folders.includes(name))
      process.kill(await browserIn(join(tmpdir(), home)), 'SIGKILL')
      await expect.poll(folders, { timeout: 30_000 }).toEqual(before.folders)
      expect(await words(client, 'navigate', { url: site.origin })).toContain('Welcome')
      process.kill(
        await browserIn(join(tmpdir(), (await folders()).find((name) => !before.folders.includes(name)) ?? '')),
        'SIGKILL',
      )
    } finally {
      await client.close()
      await ready.close()
    }
    await expect.poll(folders, { timeout: 30_000 }).toEqual(before.folders)
    expect(listeners()).toBe(before.listeners)
  }, 120_000)

  it('gives the place of a user without tabs to the next one, and none to whoever only looks', async () => {
    const ready = await createBrowserServer({ ...options, maxUsers: 1, maxScreenshotBytes: 100 })
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map((name) => testClient(ready.server, { principal: createPrincipal(name) })),
    )
    try {
      for (const client of [ada, bob]) {
        expect(JSON.stringify(await client?.callTool('tabs'))).toContain('No tab is open')
        expect(JSON.stringify(await client?.callTool('read_page'))).toContain('No page is open')
      }
      expect((await ada?.callTool('navigate', { url: site.origin }))?.isError ?? false).toBe(false)
      expect(JSON.stringify(await bob?.callTool('navigate', { url: site.origin }))).toContain('maxUsers')
      const { uri = '' } = (await ada?.listResources())?.find((one) => one.uri.endsWith('/screenshot')) ?? {}
      await expect(ada?.readResource(uri)).rejects.toThrow('maxScreenshotBytes')
      await ada?.callTool('tabs', { action: 'close' })
      expect(JSON.stringify(await bob?.callTool('navigate', { url: site.origin }))).toContain('Welcome')
      expect(JSON.stringify(await ada?.callTool('navigate', { url: site.origin }))).toContain('maxUsers')
    } finally {
      await ada?.close()
      await bob?.close()
      await ready.close()
    }
  }, 120_000)

  it('bounds tabs and names the option', async () => {
    const client = await connectTo()
    for (let at = 0; at < 2; at++) await client.callTool('navigate', { url: site.origin, newTab: true })
    const more = await client.callTool('navigate', { url: site.origin, newTab: true })
    expect(JSON.stringify(more.content)).toContain('maxPages')
    expect((await client.callTool('tabs', { action: 'close' })).isError ?? false).toBe(false)
  })
})

it('says what to do when no browser is there, and as root without noSandbox', async () => {
  const ready = await createBrowserServer({ executable: '/nonexistent/chromium' })
  const client = await connect(ready.server)
  const missing = await client.callTool('navigate', { url: 'https://example.com' })
  expect(JSON.stringify(missing.content)).toContain('executable')
  await client.close()
  await ready.close()
})

/** The number of the browser that has this folder as its home: the one that this process started itself. */
async function browserIn(home: string): Promise<number> {
  for (const name of await readdir('/proc')) {
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '')
    if (!environment.split('\0').includes(`HOME=${home}`)) continue
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
    if (new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status)) return Number(name)
  }
  throw new Error(`no browser has ${home}`)
}
