/** Every function that a program gives to be told of something: none of them can end what it is told of. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import type { TurnEvent } from '../src/model/conversation.ts'
import { createKeyringKey } from '../src/tokens/keyring-key.ts'
import { type HostLab, startHost } from './host-lab.ts'

const source = join(import.meta.dirname, '../src')

async function sources(): Promise<{ readonly file: string; readonly text: string }[]> {
  const files = (await readdir(source, { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file))
  return Promise.all(
    files.map(async (file) => ({
      file: file.replaceAll('\\', '/'),
      text: await readFile(join(source, file), 'utf8'),
    })),
  )
}

describe('callbacks of options (host: sec-251)', () => {
  it('are each called through the one place that takes what they throw', async () => {
    const all = await sources()
    const names = new Set(
      all.flatMap(({ text }) => [...text.matchAll(/readonly (on[A-Z]\w*)\??: \(/g)].map(([, name]) => name)),
    )
    // So that the walk itself cannot fall silent.
    for (const name of [
      'onWarning',
      'onText',
      'onUser',
      'onProgress',
      'onWaiting',
      'onFallback',
      'onError',
      'onReload',
    ])
      expect(names).toContain(name)
    const direct = all.flatMap(({ file, text }) => {
      // A function of the file's own is no callback; what it calls is looked at in its place.
      const own = new Set([...text.matchAll(/(?:const|function) (on[A-Z]\w*)/g)].map(([, name]) => name))
      const isCalled = (line: string) =>
        [...line.matchAll(/\b(on[A-Z]\w*)(?:\?\.)?\(/g)].some(([, name]) => names.has(name) && !own.has(name))
      return text.split('\n').flatMap((line) => (isCalled(line) ? [`${file}: ${line.trim()}`] : []))
    })
    // A gateway and a cluster give their parts a function of their own, which takes what the program's throws.
    const isPart = (line: string) =>
      /^(?:gateway\/call\/dispatch|cluster\/(?!cluster\.)[\w-]+)\.ts: .*\bonError\(/.test(line)
    expect(direct.filter((line) => !isPart(line)).sort()).toEqual([
      // Called inside a promise whose failure is written down.
      'audit/log.ts: new Promise((told) => told(this.#onWarning(message))).catch((error: unknown) => {',
      'tokens/keyring-key.ts: else await new Promise((told) => told(onFallback(reason))).catch(warnOf)',
    ])
  })
})

let labs: HostLab[] = []
afterEach(async () => {
  for (const lab of labs) await lab.close()
  labs = []
})

const work = () =>
  createServer({
    name: 'a',
    version: '1',
    tools: {
      step: tool({ description: 'Steps' }, async (_args, ctx) => {
        await ctx.progress(1, 2, 'half')
        return 'stepped'
      }),
    },
  })

const fail = {
  throws: (): never => {
    throw new Error('now')
  },
  rejects: () => Promise.reject(new Error('late')),
}

describe.each(Object.entries(fail))('a callback that %s (sec-251)', (_how, failing) => {
  it('as listener of a turn loses nothing of it', async () => {
    const script = { replies: [{ text: 'First. ', calls: [{ name: 'a_step', arguments: {} }] }, { text: 'Done.' }] }
    const lab = await startHost({ a: work }, { script })
    labs.push(lab)
    const conversation = lab.host.converse({ session: 'chat' })
    const events: TurnEvent['type'][] = []
    await conversation.send('Go', (event) => {
      events.push(event.type)
      return failing()
    })
    expect(events.at(-1)).toBe('end')
    expect(JSON.stringify(conversation.save().messages)).toMatch(/First\..*stepped.*Done\./)
  })

  it('as onProgress and onWaiting of a call leaves its result', async () => {
    const lab = await startHost({ a: work })
    labs.push(lab)
    const { result } = await lab.host.call('a_step', {}, { onProgress: failing, onWaiting: failing })
    expect(result.content).toEqual([{ type: 'text', text: 'stepped' }])
  })

  it('as onFallback leaves the key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-key-'))
    const library = () => Promise.reject(new Error('none'))
    const key = await createKeyringKey('test', { keyFile: join(folder, 'key'), library, onFallback: failing })
    expect(key).toHaveLength(32)
    await rm(folder, { recursive: true, force: true })
  })
})
