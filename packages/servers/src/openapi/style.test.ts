import { describe, expect, it } from 'vitest'
import type { Location, Operation, Parameter } from './operation.ts'
import { prepareRequest } from './request.ts'
import { writeHeaderValue, writePathValue, writeQueryValue } from './style.ts'

function parameter(place: Location, style: string, explode: boolean, name = 'color'): Parameter {
  return {
    name,
    in: place,
    argument: name,
    required: place === 'path',
    style,
    explode,
    asJson: false,
    schema: {},
    description: undefined,
  }
}

const list = ['blue', 'black', 'brown']
const object = { R: 100, G: 200, B: 150 }

describe('OpenAPI 3.1, "Style Examples": every style as the table writes it', () => {
  it.each([
    ['matrix', false, 'blue', ';color=blue'],
    ['matrix', false, list, ';color=blue,black,brown'],
    ['matrix', false, object, ';color=R,100,G,200,B,150'],
    ['matrix', true, list, ';color=blue;color=black;color=brown'],
    ['matrix', true, object, ';R=100;G=200;B=150'],
    ['label', false, 'blue', '.blue'],
    ['label', false, list, '.blue,black,brown'],
    ['label', true, list, '.blue.black.brown'],
    ['label', true, object, '.R=100.G=200.B=150'],
    ['simple', false, 'blue', 'blue'],
    ['simple', false, list, 'blue,black,brown'],
    ['simple', false, object, 'R,100,G,200,B,150'],
    ['simple', true, object, 'R=100,G=200,B=150'],
  ])('path, %s, explode %s: %j', (style, explode, value, expected) => {
    expect(writePathValue(parameter('path', style, explode), value)).toBe(expected)
  })

  it.each([
    ['form', false, '', 'color='],
    ['form', false, 'blue', 'color=blue'],
    ['form', false, list, 'color=blue,black,brown'],
    ['form', false, object, 'color=R,100,G,200,B,150'],
    ['form', true, list, 'color=blue&color=black&color=brown'],
    ['form', true, object, 'R=100&G=200&B=150'],
    ['spaceDelimited', false, list, 'color=blue%20black%20brown'],
    ['pipeDelimited', false, list, 'color=blue%7Cblack%7Cbrown'],
    ['deepObject', true, object, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
  ])('query, %s, explode %s: %j', (style, explode, value, expected) => {
    expect(writeQueryValue(parameter('query', style, explode), value).join('&')).toBe(expected)
  })

  it('header', () => {
    expect(writeHeaderValue(parameter('header', 'simple', false), object)).toBe('R,100,G,200,B,150')
    expect(writeHeaderValue(parameter('header', 'simple', true), object)).toBe('R=100,G=200,B=150')
  })

  it('JSON where the description says content', () => {
    const asJson = { ...parameter('query', 'form', true), asJson: true }
    expect(writeQueryValue(asJson, { a: 1 })).toEqual(['color=%7B%22a%22%3A1%7D'])
  })
})

function operation(path: string, parameters: Parameter[]): Operation {
  return {
    id: 'op',
    method: 'GET',
    path,
    tags: [],
    summary: '',
    description: '',
    deprecated: false,
    parameters,
    body: undefined,
    response: undefined,
    security: undefined,
    servers: undefined,
  }
}

describe('sec-122: arguments cannot leave the place they were given for', () => {
  const base = new URL('https://api.example/v1')
  const byId = operation('/pets/{id}/toys', [parameter('path', 'simple', false, 'id')])

  it.each([
    '..',
    '.',
    '../admin',
    '..\\admin',
    'a/../../admin',
    '%2e%2e',
    '%2e%2e%2fadmin',
    '%252e%252e%252fadmin',
    '..%2f',
    '..%5cadmin',
    'a\r\nx: y',
    'a%0d%0ax: y',
    'a\0b',
    '',
  ])('path value %j is refused', (id) => {
    expect(() => prepareRequest(byId, base, { id })).toThrow(/path|control|encoded/)
  })

  it.each([
    ['a/b', '/v1/pets/a%2Fb/toys'],
    ['a?x=1#y', '/v1/pets/a%3Fx%3D1%23y/toys'],
    ['1;admin=true', '/v1/pets/1%3Badmin%3Dtrue/toys'],
    ['100%', '/v1/pets/100%25/toys'],
    ['a..b', '/v1/pets/a..b/toys'],
    ['\ud800', '/v1/pets/%EF%BF%BD/toys'],
    ['$&', '/v1/pets/%24%26/toys'],
  ])('path value %j is encoded', (id, expected) => {
    const { url } = prepareRequest(byId, base, { id })
    expect(url.pathname).toBe(expected)
    expect(url.search).toBe('')
  })

  it.each([
    ['a&admin=true', '?q=a%26admin%3Dtrue'],
    ['a#b', '?q=a%23b'],
    ['a b+c', '?q=a%20b%2Bc'],
  ])('query value %j is encoded', (q, expected) => {
    expect(prepareRequest(operation('/pets', [parameter('query', 'form', true, 'q')]), base, { q }).url.search).toBe(
      expected,
    )
  })

  it.each(['a\r\nx-admin: 1', 'a\nb', 'a\0', 'ä'])('header value %j is refused', (value) => {
    const withHeader = operation('/pets', [parameter('header', 'simple', false, 'x-trace')])
    expect(() => prepareRequest(withHeader, base, { 'x-trace': value })).toThrow(/control|header/)
  })

  it('unknown, missing and inherited names are refused', () => {
    expect(() => prepareRequest(byId, base, { id: 'a', admin: true })).toThrow('It takes: id')
    expect(() => prepareRequest(byId, base, {})).toThrow('op needs id')
    expect(() => prepareRequest(byId, base, JSON.parse('{"id": "a", "__proto__": {}}'))).toThrow('has no argument')
  })
})
