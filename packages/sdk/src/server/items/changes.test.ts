import { describe, expect, it } from 'vitest'
import type { Change } from '../../protocol/subscriptions.ts'
import { ChangeHub, noticeOf } from './changes.ts'

function listen(hub: ChangeHub): Change[] {
  const heard: Change[] = []
  hub.add({ hear: (change) => void heard.push(change) })
  return heard
}

describe('ChangeHub', () => {
  it('tells of equal changes made in one go once, in order, after the work', async () => {
    const hub = new ChangeHub()
    const heard = listen(hub)
    hub.announce({ kind: 'tools' })
    hub.announce({ kind: 'resource', uri: 'a' })
    hub.announce({ kind: 'tools' })
    hub.announce({ kind: 'resource', uri: 'b' })
    expect(heard).toEqual([])
    await Promise.resolve()
    expect(heard).toEqual([{ kind: 'tools' }, { kind: 'resource', uri: 'a' }, { kind: 'resource', uri: 'b' }])
    hub.announce({ kind: 'tools' })
    await Promise.resolve()
    expect(heard).toHaveLength(4)
  })

  it('tells an extension’s changes apart by filter, method and content', async () => {
    const hub = new ChangeHub()
    const heard = listen(hub)
    const change = (filter: string, method: string, n: number): Change => ({
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
    const heard: Change[] = []
    const listener = { hear: (change: Change) => void heard.push(change) }
    hub.add(listener)
    hub.announce({ kind: 'tools' })
    hub.remove(listener)
    await Promise.resolve()
    expect(heard).toEqual([])
    expect(hub.size).toBe(0)
  })
})

describe('noticeOf', () => {
  it.each<[Change, string, object]>([
    [{ kind: 'tools' }, 'notifications/tools/list_changed', {}],
    [{ kind: 'prompts' }, 'notifications/prompts/list_changed', {}],
    [{ kind: 'resources' }, 'notifications/resources/list_changed', {}],
    [{ kind: 'resource', uri: 'x' }, 'notifications/resources/updated', { uri: 'x' }],
    [{ kind: 'extension', filter: 'f', method: 'notifications/x', params: { a: 1 } }, 'notifications/x', { a: 1 }],
  ])('%j', (change, method, params) => {
    expect(noticeOf(change)).toEqual({ method, params })
  })
})
