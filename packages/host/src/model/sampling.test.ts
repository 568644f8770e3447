import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../config/server-config.ts'
import { createInbox } from '../consent/inbox.ts'
import type { Guard } from '../guard/guard.ts'
import { Models } from './models.ts'
import { ServerSampling } from './sampling.ts'

it('a budget holds for requests side by side: what one may cost is put aside before it is asked (host 33)', async () => {
  let release: () => void = () => {}
  const open = new Promise<void>((resolve) => {
    release = resolve
  })
  const guard: Guard = {
    pass: async () => {
      await open
      throw new Error('refused in the end')
    },
    explain: () => Promise.reject(new Error()),
    review: () => Promise.reject(new Error()),
  }
  const models = new Models({
    env: {},
    ollama: false,
    configured: [{ id: 'm', provider: 'openai-compatible', model: 'm', baseUrl: 'http://127.0.0.1:9' }],
  })
  const sampling = new ServerSampling({ models, guard, inbox: await createInbox() })
  const ask = () =>
    sampling
      .answer({
        server: 's',
        params: { messages: [], maxTokens: 100 },
        background: false,
        circumstances: { session: 's', unattended: false, tainted: false, at: 0 },
        settings: { ...DEFAULT_SETTINGS.sampling, tokensPerDay: 100 },
        signal: new AbortController().signal,
      })
      .catch((error: Error & { code?: string }) => error.code ?? error.message)
  const four = [ask(), ask(), ask(), ask()]
  expect(await Promise.all(four.slice(1))).toEqual(Array(3).fill('budget-exhausted'))
  release()
  expect(await four[0]).toBe('refused in the end')
  // What was not spent is free again.
  expect(await ask()).toBe('refused in the end')
})
