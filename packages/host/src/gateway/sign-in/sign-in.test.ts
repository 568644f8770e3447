import { expect, test } from 'vitest'
import { reasonOf } from './sign-in.ts'
import { askConsent } from './sign-in-pages.ts'

const target = new URL('https://login.example/authorize?scope=read+write&state=s')

test.each([
  [undefined, 'The server "diary" wants you to sign in and to allow read, write'],
  [['write'], 'The server "diary" needs more permissions from you: write'],
  [[], 'The server "diary" needs more permissions from you'],
])('newcomer: whoever is signed in already is told what is new (%j)', (added, words) => {
  expect(reasonOf({ server: 'diary', target, added })).toBe(words)
})

test.each([
  [undefined, /Sign in to diary[\s\S]*wants to use[\s\S]*<button>Sign in<\/button>/],
  [['write'], /More permissions for diary[\s\S]*signed in there already[\s\S]*<button>Go on<\/button>/],
])('newcomer: the page tells a first sign-in from more permissions (%j)', async (added, words) => {
  const page = askConsent({ server: 'diary', target, clientId: 'chat', added, ticket: 't' }, 'token')
  expect(await page.text()).toMatch(words)
})
