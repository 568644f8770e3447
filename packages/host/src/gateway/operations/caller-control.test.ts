import { expect, it } from 'vitest'
import type { SharedPlace } from '../../config/shared-place.ts'
import { CallerControl } from './caller-control.ts'

/** A shared text that can be lost, as when its file is deleted under those who use it. */
function losable(): { readonly place: SharedPlace; text(): string | undefined; lose(): void } {
  let text: string | undefined
  const followers = new Set<() => void>()
  const tell = (): void => {
    for (const follower of followers) follower()
  }
  return {
    place: {
      name: 'revoked',
      get: async () => text,
      update: async (change) => {
        text = await change(text)
        tell()
      },
      follow: async (changed) => {
        followers.add(changed)
        return () => followers.delete(changed)
      },
    },
    text: () => text,
    lose: () => {
      text = undefined
      tell()
    },
  }
}

function open(place: SharedPlace): CallerControl {
  const shared = { text: place, failed: () => {}, whenBack: () => () => {} }
  const connections = { byPrincipal: () => new Map(), endOf: () => {} }
  return new CallerControl({ snapshot: () => ({ principals: {} }) as never }, connections, shared)
}

it('sec-548: who is shut out stays so when the shared state loses everything, and is written anew; who was let in again stays in', async () => {
  const { place, text, lose } = losable()
  const [one, other] = [open(place), open(place)]
  await one.revoke('bob')
  await one.revoke('eve')
  await expect.poll(() => other.revoked()).toEqual(['bob', 'eve'])
  lose()
  await expect.poll(text).toBe('["bob","eve"]')
  for (const control of [one, other]) expect(control.revoked()).toEqual(['bob', 'eve'])

  expect(await other.restore('bob')).toBe(true)
  expect(await other.restore('eve')).toBe(true)
  await expect.poll(() => one.revoked()).toEqual([])
  lose()
  await one.revoke('mallory')
  await expect.poll(() => other.revoked()).toEqual(['mallory'])
})
