import { describe, expect, it } from 'vitest'
import type { Page } from './page.ts'
import { Visits } from './visits.ts'

function page(url: string, markdown = 'text', whole = false): Page {
  return {
    url,
    finalUrl: url,
    title: '',
    description: '',
    byline: '',
    language: '',
    contentType: 'text/html',
    markdown,
    links: [],
    simplified: false,
    whole,
    fetchedAt: '',
  }
}

const limits = { maxPages: 3, maxCharacters: 100, keepMs: 60_000 }

describe('pages that were fetched', () => {
  it('sec-123: are nobody else’s to list or read', () => {
    const visits = new Visits(limits)
    visits.keep('ann', page('https://a.example/'))
    expect(visits.list('ann').length).toBe(1)
    expect(visits.list('bob')).toEqual([])
    expect(visits.find('bob', 'https://a.example/')).toBeUndefined()
    // Nor can an address be chosen so that it names another person's page.
    expect(visits.find('', 'https://a.example/ ann')).toBeUndefined()
  })

  it('are let go by number and by size, oldest first', () => {
    const visits = new Visits(limits)
    for (const name of ['a', 'b', 'c', 'd']) visits.keep('', page(name))
    expect(visits.list('').map(({ url }) => url)).toEqual(['d', 'c', 'b'])
    visits.keep('', page('e', 'x'.repeat(95)))
    expect(visits.list('').map(({ url }) => url)).toEqual(['e', 'd'])
    visits.keep('', page('f', 'x'.repeat(200)))
    expect(visits.list('').map(({ url }) => url)).toEqual(['f'])
  })

  it('are let go by time', () => {
    const visits = new Visits({ ...limits, keepMs: -1 })
    visits.keep('', page('a'))
    expect(visits.find('', 'a')).toBeUndefined()
    expect(visits.list('')).toEqual([])
  })

  it('are told apart as whole and main, and as changed or not', () => {
    const visits = new Visits(limits)
    expect(visits.keep('', page('a', 'one'))).toBe(true)
    expect(visits.keep('', page('a', 'one'))).toBe(false)
    expect(visits.keep('', page('a', 'two'))).toBe(true)
    visits.keep('', page('a', 'all', true))
    expect(visits.find('', 'a')?.markdown).toBe('two')
    expect(visits.find('', 'a', true)?.markdown).toBe('all')
  })
})
