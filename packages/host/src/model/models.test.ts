import { describe, expect, it } from 'vitest'
import type { ModelConfig } from './model-config.ts'
import { Models } from './models.ts'

const at = (id: string, baseUrl = `http://${id}.invalid/v1`): ModelConfig => ({
  id,
  provider: 'openai-compatible',
  model: 'm',
  baseUrl,
})
const idsOf = (models: Models) => models.list().map(({ id, source }) => `${id} ${source}`)

/** An Ollama that has these models, and addresses that are as the table says. */
function network(ollama: { has: readonly string[] }, others: { readonly [host: string]: () => Response } = {}) {
  return (async (input: string | URL | Request) => {
    const { host, pathname } = new URL(String(input))
    if (host === 'ollama.invalid' && pathname === '/v1/models')
      return Response.json({ data: ollama.has.map((id) => ({ id })) })
    const answer = others[host]
    if (answer === undefined) throw new TypeError('fetch failed')
    return answer()
  }) as typeof fetch
}

describe('a model that is gone is no longer offered (first hour M1)', () => {
  it('from the files: what the last reading does not have, while others keep their place', () => {
    const models = new Models({ env: { OPENAI_API_KEY: 'k' }, configured: [at('given')], ollama: false })
    models.configure([at('one'), at('two'), { ...at('gpt'), model: 'own' }])
    models.add(at('added'))
    expect(idsOf(models)).toEqual([
      'gpt configured',
      'given configured',
      'one configured',
      'two configured',
      'added added',
    ])
    models.configure([at('two')])
    // What the entry had stood in front of is there again.
    expect(idsOf(models)).toEqual(['gpt environment', 'given configured', 'two configured', 'added added'])
    expect(models.view('one')).toBeUndefined()
  })

  it('and is not used either, nor in its old form once it has another', async () => {
    const models = new Models({ env: {}, ollama: false })
    models.configure([at('one')])
    const first = await models.load('one')
    expect((await models.load('one')).model).toBe(first.model)
    models.configure([at('one', 'http://elsewhere.invalid/v1')])
    expect(await models.load('one')).toMatchObject({ config: { baseUrl: 'http://elsewhere.invalid/v1' } })
    expect((await models.load('one')).model).not.toBe(first.model)
    models.configure([])
    await expect(models.load('one')).rejects.toThrow('There is no model "one"')
  })

  it('from Ollama: one that was taken away there, and all when it has ended', async () => {
    const ollama = { has: ['a', 'b'] }
    const models = new Models({ env: {}, ollama: 'http://ollama.invalid/v1', fetch: network(ollama) })
    models.add({ ...at('ollama/a'), model: 'mine' })
    await models.findOllama()
    expect(idsOf(models)).toEqual(['ollama/a added', 'ollama/b ollama'])
    ollama.has = ['c']
    await models.findOllama()
    expect(idsOf(models)).toEqual(['ollama/a added', 'ollama/c ollama'])
  })
})

describe('an address that nothing listens at (first hour, low)', () => {
  const fetching = network(
    { has: [] },
    {
      'up.invalid': () => new Response('{}'),
      'angry.invalid': () => new Response('no', { status: 401 }),
      'slow.invalid': () => {
        throw new DOMException('late', 'TimeoutError')
      },
    },
  )

  it.each([
    { id: 'up', unreachable: undefined },
    { id: 'angry', unreachable: undefined },
    { id: 'slow', unreachable: undefined },
    { id: 'down', unreachable: true },
  ])('is said of $id: $unreachable', async ({ id, unreachable }) => {
    const models = new Models({ env: {}, ollama: false, fetch: fetching })
    models.configure([at(id)])
    await models.tryAddresses()
    expect(models.view(id)?.unreachable).toBe(unreachable)
    const remedy = `Nothing answers at http://${id}.invalid/v1. Start the program that serves the model there.`
    expect(models.view(id)?.remedy).toBe(unreachable && remedy)
    // It may be there the next moment: whoever asks for it gets it.
    await expect(models.load(id)).resolves.toMatchObject({ config: { id } })
  })

  it('is not said of models that a program answers for itself', async () => {
    const models = new Models({ env: {}, ollama: false, fetch: fetching })
    models.add(at('script'), async () => new Response('{}'))
    await models.tryAddresses()
    expect(models.view('script')?.unreachable).toBeUndefined()
  })
})
