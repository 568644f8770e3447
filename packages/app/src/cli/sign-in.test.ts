import { expect, it } from 'vitest'
import { describePage } from './sign-in.ts'
import { createPaint } from './terminal/io.ts'

it.each([
  [undefined, /^Sign in at login\.example:\n {2}https:/],
  [
    ['write', 'delete'],
    /^You are signed in; more permissions are needed \(write, delete\)\. Agree at login\.example:\n/,
  ],
])('newcomer: a link says whether it is a first sign-in or more permissions (%j)', (added, words) => {
  const page = new URL('https://login.example/authorize?scope=read')
  expect(describePage(page, added, { paint: createPaint(false) })).toMatch(words)
})
