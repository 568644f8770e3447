import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { connect } from '../../src/doors/client.ts'
import { serveHttp } from '../../src/doors/http.ts'
import { createServer, tool } from '../../src/doors/server.ts'
import { FaultProxy } from '../../src/doors/testing/faults.ts'

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')

const SAMPLES = {
  'the guide': read('docs/guide/faults.md'),
  'the doc comment': read('packages/sdk/src/testing/faults/proxy.ts').replace(/^ \* ?/gm, ''),
}

it.each(Object.entries(SAMPLES))(
  'the proxy of %s breaks the call and prints what became of it (sdk D8)',
  async (_, page) => {
    const search = tool({ description: 'Finds.', readOnly: true }, () => 'found')
    const http = await serveHttp(createServer({ name: 'a', version: '1', tools: { search } }), { port: 0 })
    const sample = page.split('```ts\n').find((block) => block.includes('FaultProxy.open')) ?? ''
    const code = (sample.split('```')[0] ?? '').replace(/^import .*$/gm, '').replace('port: 3000', `port: ${http.port}`)
    const printed: unknown[][] = []
    const opened: { close(): Promise<void> }[] = []
    const keep =
      <Args extends readonly unknown[], Made extends { close(): Promise<void> }>(
        open: (...args: Args) => Promise<Made>,
      ) =>
      async (...args: Args): Promise<Made> => {
        const made = await open(...args)
        opened.push(made)
        return made
      }
    const names = {
      connect: keep((url: string) => connect(url)),
      FaultProxy: { open: keep((target: { port: number }) => FaultProxy.open(target)) },
      console: { log: (...words: unknown[]) => printed.push(words) },
    }
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor
    try {
      await (new AsyncFunction(...Object.keys(names), code)(...Object.values(names)) as Promise<void>)
      expect(printed).toEqual([['closed', 'unknown']])
    } finally {
      for (const one of opened) await one.close().catch(() => {})
      await http.close()
    }
  },
)
