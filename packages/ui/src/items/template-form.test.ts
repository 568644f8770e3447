import { expect, it } from 'vitest'
import { readTemplate } from './template-form.ts'

it('names each variable of a template once', () => {
  expect(readTemplate('notes://{folder}/{+path}{?page,size*}{&page}').names).toEqual(['folder', 'path', 'page', 'size'])
})

it.each([
  ['notes://{id}', { id: 'a b/c' }, 'notes://a%20b%2Fc'],
  ['x://y{?q,lang}', { q: 'é', lang: '' }, 'x://y?q=%C3%A9'],
  ['x://y{?q,lang}', {}, 'x://y'],
  ['x://{a', { a: '1' }, 'x://{a'],
])('%s with %j is %s', (template, values, uri) => {
  expect(readTemplate(template).expand(new Map(Object.entries(values)))).toBe(uri)
})
