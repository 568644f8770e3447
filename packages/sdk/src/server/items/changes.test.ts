import { describe, expect, it } from 'vitest'
import { ChangeHub, noticeOf, type ServerChange } from './changes.ts'

function listen(hub: ChangeHub): ServerChange[] {
  const heard: ServerChange[] = []
  hub.add({ hear: (change) => void heard.push(change) })
  return heard
}

describe('ChangeHub', () => {
  it('tells of equal changes made in one go once, in order, after the work', async () => {
    const hub = new ChangeHub()
    const heard = listen(hub)
    hub.announce({ kind: 'list', list: 'tools' })
    hub.announce({ kind: 'resource', uri: 'a' })
    hub.announce({ kind: 'list', list: 'tools' })
    hub.announce({ kind: 'resource', uri: 'b' })
    expect(heard).toEqual([])
    await Promise.resolve()
    expect(heard).toEqual([
      { kind: 'list', list: 'tools' },
      { kind: 'resource', uri: 'a' },
      { kind: 'resource', uri: 'b' },
    ])
    hub.announce({ kind: 'list', list: 'tools' })
    await Promise.resolve()
    expect(heard).toHaveLength(4)
  })

  it('tells an extension’s changes apart by filter, method and content', async () => {
    const hub = new ChangeHub()
    const heard = listen(hub)
    const change = (filter: string, method: string, n: number): ServerChange => ({
      kind: 'extension',
      filter,
      method,
      params: { n },
    })
    for (const one of [
      change('f', 'm', 1),
      change('f', 'm', 1),
      change('f', 'other', 1),
      change('g', 'm', 1),
      change('f', 'm', 2),
    ]) {
      hub.announce(one)
    }
    await Promise.resolve()
    expect(heard).toHaveLength(4)
  })

  it('forgets those who went', async () => {
    const hub = new ChangeHub()
    const heard: ServerChange[] = []
    const listener = { hear: (change: ServerChange) => void heard.push(change) }
    hub.add(listener)
    hub.announce({ kind: 'list', list: 'tools' })
    hub.remove(listener)
    await Promise.resolve()
    expect(heard).toEqual([])
    expect(hub.size).toBe(0)
  })
})

describe('noticeOf', () => {
  it.each<[ServerChange, string, object]>([
    [{ kind: 'list', list: 'tools' }, 'notifications/tools/list_changed', {}],
    [{ kind: 'list', list: 'prompts' }, 'notifications/prompts/list_changed', {}],
    [{ kind: 'list', list: 'resources' }, 'notifications/resources/list_changed', {}],
    [{ kind: 'resource', uri: 'x' }, 'notifications/resources/updated', { uri: 'x' }],
    [{ kind: 'extension', filter: 'f', method: 'notifications/x', params: { a: 1 } }, 'notifications/x', { a: 1 }],
  ])('%j', (change, method, params) => {
    expect(noticeOf(change)).toEqual({ method, params })
  })
})
