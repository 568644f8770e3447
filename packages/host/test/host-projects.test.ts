/** What goes along with conversations by configuration: attached resources, pins, and projects. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, resource, type Server, tool } from '@portico/sdk/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HostLab, startHost } from './host-lab.ts'

let lab: HostLab
let folder: string
let notes: string
let warnings: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-project-'))
  notes = 'the first edition'
  warnings = []
  reads = []
})
afterEach(async () => {
  await lab.close()
  await rm(folder, { recursive: true, force: true })
})

const made = new Map<string, Server>()
let reads: string[]

const make = (name: string) => () => {
  const server = createServer({
    name,
    version: '1.0.0',
    instructions: `How to use ${name}`,
    tools: { act: tool({ description: `Acts on ${name}`, readOnly: true }, () => 'acted') },
    resources: {
      notes: resource({ uri: `notes://${name}` }, () => {
        reads.push(name)
        return notes
      }),
    },
  })
  made.set(name, server)
  return server
}

/** A new edition, and the notice of it has come. */
async function publish(text: string): Promise<void> {
  notes = text
  let stop: (() => Promise<void>) | undefined
  const told = new Promise<void>((resolve) => {
    void lab.host.subscribe('a', 'notes://a', resolve, { session: 'watcher' }).then((close) => {
      stop = close
      made.get('a')?.changed('notes://a')
    })
  })
  await told
  await stop?.()
}

async function start(config: object, scope: 'user' | 'project' = 'user', maxTools?: number): Promise<void> {
  const path = join(folder, 'portico.json')
  await writeFile(path, JSON.stringify(config))
  lab = await startHost(
    { a: make('a'), b: make('b') },
    {
      script: { replies: [{ calls: [{ name: 'a_act', arguments: {} }] }, { text: 'ok' }] },
      configFiles: [{ path, scope }],
      onWarning: (message) => warnings.push(message),
      maxTools,
    },
  )
}

async function say(project?: string): Promise<string> {
  await lab.host.converse({ session: 's', project }).send('go', () => {})
  return JSON.stringify(lab.provider.requests[0])
}

describe('attached by configuration (founding 6)', () => {
  const attach = [{ server: 'a', uri: 'notes://a', maxBytes: 500 }]

  it('is in every message as it is then, and left out with a warning once it has grown', async () => {
    await start({ attach })
    expect(await say()).toContain('the first edition')
    await publish('x'.repeat(600))
    await lab.host.converse({ session: 's' }).send('go', () => {})
    expect(JSON.stringify(lab.provider.requests.at(-1))).not.toContain('xxxx')
    expect(warnings).toEqual([expect.stringMatching(/notes:\/\/a is not attached: it has grown to \d+ bytes/)])
  })

  it('is read again only after its server told of a change (founding 6)', async () => {
    await start({ attach })
    const conversation = lab.host.converse({ session: 's' })
    const sent = async (): Promise<string> => {
      await conversation.send('go', () => {})
      return JSON.stringify(lab.provider.requests.at(-1))
    }
    await sent()
    expect(await sent()).toContain('the first edition')
    expect(reads).toEqual(['a'])
    await publish('the second edition')
    expect(await sent()).toContain('the second edition')
    await sent()
    expect(reads).toEqual(['a', 'a'])
    // Whoever lost the connection may have missed a notice.
    await lab.host.upstreams.restart('a')
    await sent()
    expect(reads).toEqual(['a', 'a', 'a'])
  })

  it('tells its conversation what is left out, where that wants to know (founding 6)', async () => {
    await start({ attach: [{ ...attach[0], maxBytes: 10 }] })
    const told: string[] = []
    await lab.host.converse({ session: 's', onWarning: (message) => told.push(message) }).send('go', () => {})
    expect(told).toEqual([expect.stringMatching(/notes:\/\/a is not attached: it has grown/)])
    expect(warnings).toEqual([])
  })

  it("is not attached by a folder's file", async () => {
    await start({ attach }, 'project')
    expect(await say()).not.toContain('the first edition')
  })

  it('may be pinned in one conversation, until it is taken away', async () => {
    await start({})
    lab.host.setPins('s', [{ server: 'b', uri: 'notes://b' }])
    expect(await say()).toContain('the first edition')
    lab.host.setPins('s', [])
    await lab.host.converse({ session: 's' }).send('go', () => {})
    expect(JSON.stringify(lab.provider.requests.at(-1))).not.toContain('the first edition')
  })
})

describe('a project (founding 15)', () => {
  const projects = {
    letters: {
      servers: ['b'],
      attach: [{ server: 'b', uri: 'notes://b' }],
      instructions: 'Write as one writes letters.',
      rules: [{ id: 'not-b', outcome: 'deny', server: 'b', effect: 'call', because: 'letters are only read' }],
    },
  }

  it.each([undefined, 1])('has its servers alone, its attachments and instructions (maxTools %s)', async (maxTools) => {
    await start({ projects }, 'user', maxTools)
    const sent = await say('letters')
    expect(sent).toContain('Write as one writes letters.')
    expect(sent).toContain('the first edition')
    expect(sent).toContain('How to use b')
    expect(sent).not.toContain('How to use a')
    expect(sent).not.toContain('a_act')
    // What is not among its tools is not called, by whatever name.
    expect(lab.asked.filter(({ server }) => server === 'a')).toEqual([])
  })

  it('has rules of its own, in its conversations and nowhere else', async () => {
    await start({ projects })
    await say('letters')
    await expect(lab.host.call('b_act', {}, { session: 's' })).rejects.toMatchObject({ code: 'denied' })
    await expect(lab.host.call('b_act', {}, { session: 'other' })).resolves.toMatchObject({ server: 'b' })
    lab.host.setRules([{ id: 'more', outcome: 'allow' }])
    await expect(lab.host.call('b_act', {}, { session: 's' })).rejects.toMatchObject({ code: 'denied' })
    lab.host.endSession('s')
    await expect(lab.host.call('b_act', {}, { session: 's' })).resolves.toMatchObject({ server: 'b' })
  })

  it('that is not there, or cannot be read, is said', async () => {
    await start({ projects: { ...projects, odd: { rules: [{ outcome: 'perhaps' }] } } })
    expect(() => lab.host.converse({ session: 's', project: 'odd' })).toThrow(/no project "odd"; there are letters/)
    expect(lab.host.problems).toMatchObject([{ place: { path: 'projects.odd' } }])
  })
})
