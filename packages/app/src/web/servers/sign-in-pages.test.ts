import { expect, it } from 'vitest'
import { SignInPages } from './sign-in-pages.ts'

const PAGE = new URL('https://login.example/authorize?state=1')

it('has the page of a sign-in while it is under way, for the server that it belongs to alone (sec-105)', async () => {
  const news: string[] = []
  const pages = new SignInPages(async () => false)
  pages.onNews = (server) => news.push(`${server} ${pages.of(server) ?? 'none'}`)
  let cameBack = () => {}
  const signingIn = pages.during('diary', async () => {
    await pages.openPage(PAGE)
    await new Promise<void>((resolve) => {
      cameBack = resolve
    })
  })
  const other = pages.during('other', async () => {})
  await other
  expect([pages.of('diary'), pages.of('other')]).toEqual([PAGE.href, undefined])
  cameBack()
  await signingIn
  expect(pages.of('diary')).toBeUndefined()
  expect(news).toEqual([`diary ${PAGE.href}`, 'other none', 'diary none'])
})

it('shows the same page again to whoever asks again, and starts nothing twice', async () => {
  const shown: string[] = []
  const pages = new SignInPages(async (page) => shown.push(page.href) > 0)
  let fail = (_error: Error) => {}
  let begun = 0
  const signIn = async () => {
    begun++
    await pages.openPage(PAGE)
    await new Promise<void>((_, reject) => {
      fail = reject
    })
  }
  const first = pages.during('diary', signIn)
  await Promise.resolve()
  const second = pages.during('diary', signIn)
  expect(second).toBe(first)
  expect([begun, shown]).toEqual([1, [PAGE.href, PAGE.href]])
  await Promise.resolve()
  fail(new Error('the user said no'))
  await expect(first).rejects.toThrow('said no')
  expect(pages.of('diary')).toBeUndefined()
})

it('shows a page that nobody signs in for, and keeps it for no server', async () => {
  const pages = new SignInPages(async () => true)
  expect(await pages.openPage(PAGE)).toBe(true)
  expect(pages.of('diary')).toBeUndefined()
})
