import { describe, expect, it } from 'vitest'
import { promptsFor, slashWordOf } from './slash-words.ts'

describe('a slash in the composer (founding 1)', () => {
  it.each([
    ['/', ''],
    ['/rev', 'rev'],
    ['/review this', undefined],
    ['see /etc', undefined],
    ['', undefined],
  ])('in %j means %j', (text, word) => expect(slashWordOf(text)).toBe(word))

  it('finds prompts by either name, those that begin so first', () => {
    const prompts = [
      { name: 'git_preview', ownName: 'preview' },
      { name: 'git_review', ownName: 'review' },
      { name: 'time_now', ownName: 'now' },
    ]
    expect(promptsFor('Re', prompts).map(({ ownName }) => ownName)).toEqual(['review', 'preview'])
  })
})
