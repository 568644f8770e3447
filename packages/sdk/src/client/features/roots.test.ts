import { describe, expect, test } from 'vitest'
import { answerRoots, checkRoots } from './roots.ts'

const context = { server: undefined, label: 'test', signal: new AbortController().signal }

describe('roots (sec-120)', () => {
  test.each(['file:///', 'file:///home/a', 'file:///C:/work', 'file:///a%20b', 'file:///a..b/c.d'])(
    '%s is offered',
    async (uri) => {
      checkRoots([{ uri }])
      expect(await answerRoots(() => [{ uri }], context)).toEqual({ roots: [{ uri }] })
    },
  )

  test.each([
    'https://x.example/',
    '/home/a',
    'file:///a/../../etc',
    'file:///a/%2e%2e/b',
    'file:///a/%2E./b',
    'file:///a\\..\\b',
    'file:///a%2f..%2fb',
    'file://server/share',
    'javascript:1',
    '',
  ])('%s is refused', async (uri) => {
    expect(() => checkRoots([{ uri }])).toThrow(/no local file: URI/)
    await expect(answerRoots(() => [{ uri }], context)).rejects.toMatchObject({ code: 'invalid-definition' })
  })
})
