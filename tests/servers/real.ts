/** The servers that drive what is on a machine, before the real thing: a browser, a screen with a window, sandboxes. */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { testClient } from '@portico/sdk/testing'
import { createBrowserServer } from '@portico/servers/browser'
import { createRunServer } from '@portico/servers/run'
import { createScreenServer } from '@portico/servers/screen'
import { findChromium, NO_CHROMIUM } from '../support/chromium.ts'
import type { Trial } from '../support/suite.ts'
import { missingScreen, startScreen } from './virtual-screen.ts'

type Client = Awaited<ReturnType<typeof testClient>>

export const realTrials: readonly Trial[] = [
  { name: 'real: a shop in Chromium, from the search to the order', missing: missingChromium, run: shop },
  { name: 'real: nothing private is reached by any door of a page', missing: missingChromium, run: prison },
  { name: 'real: a window on a real screen, and its changes', missing: missingScreen, run: window },
  { name: 'real: a sandbox holds what tries to get out', missing: missingSandbox, run: sandbox },
]

function missingChromium(): string | undefined {
  return findChromium() === undefined ? NO_CHROMIUM : undefined
}

function missingSandbox(): string | undefined {
  const isThere = ['/usr/bin/bwrap', '/usr/bin/unshare'].some((path) => existsSync(path))
  return isThere ? undefined : 'this machine has neither bwrap nor unshare'
}

async function shop(): Promise<void> {
  const orders: string[] = []
  const site = await serve(async (path, body) => {
    if (path === '/order') {
      orders.push(body)
      return '<title>Thanks</title><h1>Ordered</h1>'
    }
    if (path.startsWith('/search'))
      return `<title>Found</title><a href="/lamp">A lamp</a><p>for ${new URL(path, 'http://x').searchParams.get('q')}</p>`
    if (path === '/lamp') {
      return `<title>Lamp</title><h1>Lamp</h1><form method="post" action="/order"><label>Colour <select name="colour"><option>red</option><option>green</option></select></label>
        <label>Name <input name="name"></label><button>Order</button></form><script>document.title = 'Lamp (' + navigator.userAgent.includes('Chrom') + ')'</script>`
    }
    return '<title>Shop</title><form action="/search"><label>Search <input name="q"></label></form>'
  })
  const ready = await createBrowserServer({
    executable: findChromium(),
    noSandbox: process.getuid?.() === 0,
    allowPrivate: [site.host],
  })
  const client = await testClient(ready.server, { answers: { elicit: [{ confirm: true }, { confirm: true }] } })
  try {
    await text(client, 'navigate', { url: `http://${site.host}/` })
    await text(client, 'type_text', { ref: await refOf(client, 'textbox "Search"'), text: 'lamp', submit: true })
    await text(client, 'click', { ref: await refOf(client, 'link "A lamp"') })
    assert.match(await text(client, 'read_page'), /Lamp \(true\)/)
    await text(client, 'select_option', { ref: await refOf(client, 'combobox'), options: ['green'] })
    await text(client, 'type_text', { ref: await refOf(client, 'textbox "Name"'), text: 'Ada' })
    assert.match(await text(client, 'click', { ref: await refOf(client, 'button "Order"') }), /Thanks/)
    assert.deepEqual(orders, ['colour=green&name=Ada'])
    client.verifyScript()
    const shot = await client.callTool('screenshot', { whole: true })
    assert.ok(shot.content.some(({ type }) => type === 'image'))
  } finally {
    await client.close()
    await ready.close()
    await site.close()
  }
}

async function prison(): Promise<void> {
  const inner = await serve(async () => 'secret')
  const doors = [
    `<img src="http://${inner.host}/img">`,
    `<iframe src="http://${inner.host}/frame"></iframe>`,
    `<link rel="stylesheet" href="http://${inner.host}/css"><link rel="prefetch" href="http://${inner.host}/prefetch"><link rel="preconnect" href="http://${inner.host}">`,
    `<script src="http://${inner.host}/js"></script>`,
    `<object data="http://${inner.host}/object"></object><video src="http://${inner.host}/video"></video>`,
    `<script>
      fetch('http://${inner.host}/fetch', { mode: 'no-cors' }).catch(() => {})
      navigator.sendBeacon('http://${inner.host}/beacon', 'x')
      try { new WebSocket('ws://${inner.host}/ws') } catch {}
      try { new EventSource('http://${inner.host}/events') } catch {}
      new Worker(URL.createObjectURL(new Blob(["fetch('http://${inner.host}/worker',{mode:'no-cors'}).catch(()=>{})"])))
      try { const rtc = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${inner.host}' }] }); rtc.createDataChannel('x'); rtc.createOffer().then((o) => rtc.setLocalDescription(o)) } catch {}
      setTimeout(() => { document.title = 'done' }, 1500)
    </script>`,
    `<meta http-equiv="refresh" content="3;url=http://${inner.host}/refresh">`,
  ]
  const site = await serve(async () => doors.join('\n'))
  const ready = await createBrowserServer({
    executable: findChromium(),
    noSandbox: process.getuid?.() === 0,
    allowPrivate: [site.host],
  })
  const client = await testClient(ready.server)
  try {
    await client.callTool('navigate', { url: `http://${site.host}/` })
    const deadline = Date.now() + 8_000
    let told = ''
    while (Date.now() < deadline && !/\(http:\/\/[^)]*refresh|chrome-error/.test(told))
      told += await text(client, 'read_page')
    for (const spelling of [
      'http://127.1',
      'http://2130706433',
      'http://[::1]',
      'http://localhost',
      'http://0.0.0.0',
    ]) {
      const refused = await client.callTool('navigate', { url: `${spelling}:${inner.host.split(':')[1]}/direct` })
      assert.equal(refused.isError, true, spelling)
    }
    assert.match(told, /loopback/)
    assert.deepEqual(inner.asked, [], 'a page reached a private address')
  } finally {
    await client.close()
    await ready.close()
    await site.close()
    await inner.close()
  }
}

async function window(): Promise<void> {
  const screen = await startScreen()
  let clock: ChildProcess | undefined
  const ready = await createScreenServer({ display: screen.display, watchMs: 100, structured: true })
  const client = await testClient(ready.server, { answers: { elicit: [{ confirm: true }] } })
  try {
    const before = await shot(client)
    clock = spawn('/usr/bin/xclock', ['-digital', '-update', '1', '-strftime', '%S', '-title', 'Lab clock'], {
      env: { DISPLAY: screen.display },
      stdio: 'ignore',
    })
    const found = await until(async () => {
      const { structuredContent } = await client.callTool('list_screens')
      const { windows } = structuredContent as { windows: { id: string; title: string; uri: string }[] }
      return windows.find(({ title }) => title.includes('Lab clock') || title.includes('xclock'))
    })
    const inWindow = await until(async () => {
      const picture = await client.callTool('screenshot', { window: found.id }).catch(() => undefined)
      return picture?.isError ? undefined : picture
    })
    assert.ok(inWindow.content.some(({ type }) => type === 'image'))
    assert.notEqual(await shot(client), before)
    const { contents } = await client.readResource(found.uri)
    assert.equal(contents[0]?.mimeType, 'image/png')
    await new Promise<void>((done) => void client.subscribe(found.uri, () => done()))
    client.verifyScript()
  } finally {
    clock?.kill()
    await client.close()
    await ready.close()
    await screen.stop()
  }
}

const ATTACKS = [
  'cat /etc/shadow',
  'ls /home /root',
  'cat /proc/1/environ | grep -a PATH=/root',
  'mount -t tmpfs none /mnt',
  'unshare -Ur id',
  'echo 1 > /proc/sys/kernel/sysrq',
  'chroot / id',
  'mknod /scratch/disk b 254 0',
  'python3 -c "import socket; socket.create_connection((\'1.1.1.1\', 53), 1)"',
  'python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect(\'/run/dbus/system_bus_socket\')"',
  "python3 -c \"import os; os.setuid(65534); open('/usr/x', 'w')\"",
  'dd if=/dev/vda of=/scratch/x count=1',
]

async function sandbox(): Promise<void> {
  const ready = await createRunServer({ ask: false, commands: ['sh'], timeMs: 5_000, structured: true })
  const client = await testClient(ready.server)
  try {
    for (const attack of ATTACKS) {
      const { structuredContent } = await client.callTool('run_command', { command: 'sh', args: ['-c', attack] })
      assert.notEqual((structuredContent as { exitCode: number | null }).exitCode, 0, `it got away with: ${attack}`)
    }
    const bomb = await client.callTool('run_command', { command: 'sh', args: ['-c', ':(){ :|:& };:; sleep 60'] })
    assert.equal((bomb.structuredContent as { ok: boolean }).ok, false)
    const alive = await client.callTool('run_command', { command: 'sh', args: ['-c', 'echo alive'] })
    assert.match(JSON.stringify(alive.structuredContent), /alive/)
  } finally {
    await client.close()
    await ready.close()
  }
}

async function serve(page: (path: string, body: string) => Promise<string>) {
  const asked: string[] = []
  const service = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'text/html' }).end(await page(request.url ?? '/', body))
  })
  service.on('upgrade', (request, socket) => {
    asked.push(request.url ?? '')
    socket.destroy()
  })
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
  return {
    host: `127.0.0.1:${(service.address() as AddressInfo).port}`,
    asked,
    close() {
      service.closeAllConnections()
      return new Promise<void>((done) => service.close(() => done()))
    },
  }
}

async function text(client: Client, name: string, args: { [name: string]: unknown } = {}): Promise<string> {
  const result = await client.callTool(name, args)
  const words = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  assert.ok(result.isError !== true, `${name}: ${words}`)
  return words
}

async function refOf(client: Client, label: string): Promise<string> {
  const page = await text(client, 'read_page')
  const line = page.split('\n').find((one) => one.includes(label)) ?? ''
  const ref = /\[ref=((?:f\d+)?e\d+)\]/.exec(line)?.[1]
  assert.ok(ref, `no ${label} in ${page}`)
  return ref
}

async function shot(client: Client): Promise<string> {
  const { content } = await client.callTool('screenshot')
  const image = content.find(({ type }) => type === 'image')
  assert.ok(image?.type === 'image', JSON.stringify(content).slice(0, 300))
  return image.data
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    assert.ok(Date.now() < deadline, 'it did not come')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
