import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TemplateValues } from './uri-template.ts'
import { parseTemplate, TEMPLATE_LIMITS } from './uri-template.ts'

/** The variables of RFC 6570, section 3.2. */
const VALUES: TemplateValues = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  v: 6,
  x: 1024,
  y: '768',
  empty: '',
  empty_keys: {},
  undef: null,
}

/** The examples of RFC 6570, sections 3.2.1 to 3.2.9, as template and expansion. */
const EXAMPLES: Record<string, string[]> = {
  '3.2.1': [
    '{count} one,two,three',
    '{count*} one,two,three',
    '{/count} /one,two,three',
    '{/count*} /one/two/three',
    '{;count} ;count=one,two,three',
    '{;count*} ;count=one;count=two;count=three',
    '{?count} ?count=one,two,three',
    '{?count*} ?count=one&count=two&count=three',
    '{&count*} &count=one&count=two&count=three',
  ],
  '3.2.2': [
    '{var} value',
    '{hello} Hello%20World%21',
    '{half} 50%25',
    'O{empty}X OX',
    'O{undef}X OX',
    '{x,y} 1024,768',
    '{x,hello,y} 1024,Hello%20World%21,768',
    '?{x,empty} ?1024,',
    '?{x,undef} ?1024',
    '?{undef,y} ?768',
    '{var:3} val',
    '{var:30} value',
    '{list} red,green,blue',
    '{list*} red,green,blue',
    '{keys} semi,%3B,dot,.,comma,%2C',
    '{keys*} semi=%3B,dot=.,comma=%2C',
  ],
  '3.2.3': [
    '{+var} value',
    '{+hello} Hello%20World!',
    '{+half} 50%25',
    '{base}index http%3A%2F%2Fexample.com%2Fhome%2Findex',
    '{+base}index http://example.com/home/index',
    'O{+empty}X OX',
    'O{+undef}X OX',
    '{+path}/here /foo/bar/here',
    'here?ref={+path} here?ref=/foo/bar',
    'up{+path}{var}/here up/foo/barvalue/here',
    '{+x,hello,y} 1024,Hello%20World!,768',
    '{+path,x}/here /foo/bar,1024/here',
    '{+path:6}/here /foo/b/here',
    '{+list} red,green,blue',
    '{+list*} red,green,blue',
    '{+keys} semi,;,dot,.,comma,,',
    '{+keys*} semi=;,dot=.,comma=,',
  ],
  '3.2.4': [
    '{#var} #value',
    '{#hello} #Hello%20World!',
    '{#half} #50%25',
    'foo{#empty} foo#',
    'foo{#undef} foo',
    '{#x,hello,y} #1024,Hello%20World!,768',
    '{#path,x}/here #/foo/bar,1024/here',
    '{#path:6}/here #/foo/b/here',
    '{#list} #red,green,blue',
    '{#list*} #red,green,blue',
    '{#keys} #semi,;,dot,.,comma,,',
    '{#keys*} #semi=;,dot=.,comma=,',
  ],
  '3.2.5': [
    '{.who} .fred',
    '{.who,who} .fred.fred',
    '{.half,who} .50%25.fred',
    'www{.dom*} www.example.com',
    'X{.var} X.value',
    'X{.empty} X.',
    'X{.undef} X',
    'X{.var:3} X.val',
    'X{.list} X.red,green,blue',
    'X{.list*} X.red.green.blue',
    'X{.keys} X.semi,%3B,dot,.,comma,%2C',
    'X{.keys*} X.semi=%3B.dot=..comma=%2C',
    'X{.empty_keys} X',
    'X{.empty_keys*} X',
  ],
  '3.2.6': [
    '{/who} /fred',
    '{/who,who} /fred/fred',
    '{/half,who} /50%25/fred',
    '{/who,dub} /fred/me%2Ftoo',
    '{/var} /value',
    '{/var,empty} /value/',
    '{/var,undef} /value',
    '{/var,x}/here /value/1024/here',
    '{/var:1,var} /v/value',
    '{/list} /red,green,blue',
    '{/list*} /red/green/blue',
    '{/list*,path:4} /red/green/blue/%2Ffoo',
    '{/keys} /semi,%3B,dot,.,comma,%2C',
    '{/keys*} /semi=%3B/dot=./comma=%2C',
  ],
  '3.2.7': [
    '{;who} ;who=fred',
    '{;half} ;half=50%25',
    '{;empty} ;empty',
    '{;v,empty,who} ;v=6;empty;who=fred',
    '{;v,bar,who} ;v=6;who=fred',
    '{;x,y} ;x=1024;y=768',
    '{;x,y,empty} ;x=1024;y=768;empty',
    '{;x,y,undef} ;x=1024;y=768',
    '{;hello:5} ;hello=Hello',
    '{;list} ;list=red,green,blue',
    '{;list*} ;list=red;list=green;list=blue',
    '{;keys} ;keys=semi,%3B,dot,.,comma,%2C',
    '{;keys*} ;semi=%3B;dot=.;comma=%2C',
  ],
  '3.2.8': [
    '{?who} ?who=fred',
    '{?half} ?half=50%25',
    '{?x,y} ?x=1024&y=768',
    '{?x,y,empty} ?x=1024&y=768&empty=',
    '{?x,y,undef} ?x=1024&y=768',
    '{?var:3} ?var=val',
    '{?list} ?list=red,green,blue',
    '{?list*} ?list=red&list=green&list=blue',
    '{?keys} ?keys=semi,%3B,dot,.,comma,%2C',
    '{?keys*} ?semi=%3B&dot=.&comma=%2C',
  ],
  '3.2.9': [
    '{&who} &who=fred',
    '{&half} &half=50%25',
    '?fixed=yes{&x} ?fixed=yes&x=1024',
    '{&x,y,empty} &x=1024&y=768&empty=',
    '{&x,y,undef} &x=1024&y=768',
    '{&var:3} &var=val',
    '{&list} &list=red,green,blue',
    '{&list*} &list=red&list=green&list=blue',
    '{&keys} &keys=semi,%3B,dot,.,comma,%2C',
    '{&keys*} &semi=%3B&dot=.&comma=%2C',
  ],
}

describe('expanding a URI template', () => {
  for (const [section, examples] of Object.entries(EXAMPLES)) {
    it(`gives the examples of RFC 6570 section ${section}`, () => {
      for (const example of examples) {
        const [source = '', expansion] = example.split(' ')
        expect(`${source} ${parseTemplate(source).expand(VALUES)}`).toBe(`${source} ${expansion}`)
      }
    })
  }

  const cases: [string, TemplateValues, string][] = [
    ['/é/%c3{x}', { x: 'ü' }, '/%C3%A9/%C3%C3%BC'],
    ['{x}', { x: "!'()*" }, '%21%27%28%29%2A'],
    ['{+x}', { x: 'a%2Fb%zz/c d' }, 'a%2Fb%25zz/c%20d'],
    ['{x:2}', { x: '😀é!' }, '%F0%9F%98%80%C3%A9'],
    ['{x}', { x: '\ud800' }, '%EF%BF%BD'],
    ['{x}{toString}{__proto__}', { x: true }, 'true'],
    ['{x*}', { x: [null, 'a', undefined] }, 'a'],
  ]
  for (const [source, values, expansion] of cases) {
    it(`${source} with ${JSON.stringify(values)} is ${expansion}`, () => {
      expect(parseTemplate(source).expand(values)).toBe(expansion)
    })
  }

  it('refuses the prefix of a list', () => {
    expect(() => parseTemplate('{x:2}').expand({ x: ['a'] })).toThrow(
      expect.objectContaining({ code: 'invalid-arguments' }),
    )
  })
})

describe('parsing a URI template', () => {
  const bad = [
    '{',
    '{}',
    'a}',
    '{a',
    '{a}}',
    '{{a}}',
    '{a b}',
    '{a-b}',
    '{a,}',
    '{,a}',
    '{a:0}',
    '{a:10000}',
    '{a:}',
    '{a*:3}',
    '{a.}',
    '{.}',
    '{=a}',
    '{!a}',
    '{@a}',
    '{|a}',
    '{a%zz}',
    '%zz',
    'a b',
    'a"b',
    'a<b',
    'a\\b',
    'a\nb',
  ]
  it('refuses what RFC 6570 section 2 does not allow', () => {
    for (const source of bad) {
      expect(() => parseTemplate(source), source).toThrow(expect.objectContaining({ code: 'invalid-definition' }))
    }
  })

  it('tells names and the literal start', () => {
    expect(parseTemplate('db://t/{table}/{id}{?id,full}')).toMatchObject({
      names: ['table', 'id', 'full'],
      literalPrefix: 'db://t/',
    })
    expect(parseTemplate('{+all}')).toMatchObject({ names: ['all'], literalPrefix: '' })
    expect(parseTemplate('')).toMatchObject({ names: [], literalPrefix: '' })
  })

  it('holds its bounds', () => {
    const { maxTemplateLength, maxVariables, maxUriLength } = TEMPLATE_LIMITS
    const variables = (count: number) => `{${Array.from({ length: count }, (_, index) => `v${index}`).join(',')}}`
    for (const [make, limit] of [
      [(size: number) => 'a'.repeat(size), maxTemplateLength],
      [variables, maxVariables],
    ] as const) {
      parseTemplate(make(limit - 1))
      parseTemplate(make(limit))
      expect(() => parseTemplate(make(limit + 1))).toThrow(String(limit))
    }
    const template = parseTemplate('{a}')
    expect(template.match('a'.repeat(maxUriLength - 1))).toBeDefined()
    expect(template.match('a'.repeat(maxUriLength))).toBeDefined()
    expect(template.match('a'.repeat(maxUriLength + 1))).toBeUndefined()
  })
})

describe('matching a URI template', () => {
  const cases: [string, string, Record<string, string | string[]> | undefined][] = [
    ['test://template/{id}/data', 'test://template/123/data', { id: '123' }],
    ['test://template/{id}/data', 'test://template//data', undefined],
    ['test://template/{id}/data', 'test://template/1/2/data', undefined],
    ['test://template/{id}/data', 'test://template/1/data/', undefined],
    ['test://template/{id}/data', 'test://template/data', undefined],
    ['x://{id}', 'x://a%2Fb%20%C3%A9', { id: 'a/b é' }],
    ['x://{id}', 'x://a?b', undefined],
    ['x://{id}', 'x://a#b', undefined],
    ['x://{id}', 'x://%', undefined],
    ['x://{id}', 'x://%zz', undefined],
    ['x://{id}', 'x://%ff', undefined],
    ['x://é/{id}', 'x://%c3%a9/1', { id: '1' }],
    ['abc', 'abc', {}],
    ['abc{d}cba', 'abcba', undefined],
    ['abc{/d}cba', 'abcba', undefined],
    ['file:///{+path}', 'file:///a/b?c#d', { path: 'a/b?c#d' }],
    ['file:///{+dir}/{name}', 'file:///a/b/c', { dir: 'a/b', name: 'c' }],
    ['{+a}x{b}', '1x/2x3', { a: '1x/2', b: '3' }],
    ['{name}.{ext}', 'my.file.txt', { name: 'my.file', ext: 'txt' }],
    ['{a}{b}', 'xyz', { a: 'xy', b: 'z' }],
    ['{a}{b}', 'x', undefined],
    ['{a}-{a}', 'x-x', { a: 'x' }],
    ['{a}-{a}', 'x-y', undefined],
    ['{a,b}', '1,2', { a: '1', b: '2' }],
    ['{a,b}', '1', { a: '1' }],
    ['{list*}', 'red,gr%2Cn', { list: ['red', 'gr,n'] }],
    ['{list}', 'red,green', { list: 'red,green' }],
    ['/u{/id}', '/u', {}],
    ['/u{/id}', '/u/', { id: '' }],
    ['/u{/id}', '/u/1', { id: '1' }],
    ['/u{/id}', '/u/1/2', undefined],
    ['/u{/id}/edit', '/u/1/edit', { id: '1' }],
    ['/u{/a,b}', '/u/1/2', { a: '1', b: '2' }],
    ['/u{/a}{/b*}', '/u/1/2/3', { a: '1', b: ['2', '3'] }],
    ['/u{/path*}', '/u/1/2%2F3', { path: ['1', '2/3'] }],
    ['/u{/path*}', '/u', {}],
    ['/u{/path*}/end', '/u/1/2/end', { path: ['1', '2'] }],
    ['/u{/a}{+rest}', '/u/x/y/z', { a: 'x', rest: '/y/z' }],
    ['{/var:1,var}', '/v/value', { var: 'value' }],
    ['{/var:1,var}', '/x/value', undefined],
    ['{var:3}', 'value', undefined],
    ['{/list*,path:4}', '/red/green/%2Ffoo', { list: ['red', 'green'], path: '/foo' }],
    ['s{?q,lang}', 's', {}],
    ['s{?q,lang}', 's?lang=en&q=a%26b', { q: 'a&b', lang: 'en' }],
    ['s{?q,lang}', 's?q=', { q: '' }],
    ['s{?q}', 's?q=a/b?c', { q: 'a/b?c' }],
    ['s{?q}', 's?q=1&q=2', undefined],
    ['s{?q}', 's?q=1&other=2', undefined],
    ['s{?q*}', 's?q=1&q=2', { q: ['1', '2'] }],
    ['s{?q}{&r}', 's?r=2', { r: '2' }],
    ['s{?q}{#part}', 's?q=1#x/y', { q: '1', part: 'x/y' }],
    ['s?v=1{&q}', 's?v=1&q=2', { q: '2' }],
    ['s{;a,b}', 's;b=1;a', { a: '', b: '1' }],
    ['f{.ext}', 'f.tar.gz', { ext: 'tar.gz' }],
    ['www{.dom*}', 'www.example.com', { dom: ['example', 'com'] }],
    ['x{#f}', 'x', {}],
    ['{__proto__}/{constructor}', 'a/b', JSON.parse('{"__proto__":"a","constructor":"b"}')],
  ]
  for (const [source, uri, values] of cases) {
    it(`${source} ${values === undefined ? 'does not take' : 'takes'} ${uri}`, () => {
      const found = parseTemplate(source).match(uri)
      expect(found && Object.entries(found).sort()).toEqual(values && Object.entries(values).sort())
      if (found) expect(Object.getPrototypeOf(found)).toBeNull()
    })
  }

  it('gives back what was expanded', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 })
    // A label may hold the dots that part labels, so its values are kept free of them.
    const label = text.map((value) => `l${value.replaceAll('.', '')}`)
    const list = fc.array(text, { minLength: 1 })
    const values = fc.record(
      { id: text, ext: label, q: text, r: text, path: list, tags: list },
      { requiredKeys: ['id'] },
    )
    const templates = [
      'x://h/{id}{/path*}{?q,tags*,r}',
      'x://{id}/y{/path*}/z{;q,r}{#ext}',
      '{id}/a{.ext}{?q}{&r,tags*}',
    ].map(parseTemplate)
    fc.assert(
      fc.property(values, (given) => {
        for (const template of templates) {
          // `{?q}{&r}` with nothing for the first writes `&r=`, which is no query; RFC 6570 leaves it to the author.
          const used = template.source.includes('{?q}{&r') ? { ...given, q: 'q' } : given
          const expected = Object.fromEntries(Object.entries(used).filter(([name]) => template.names.includes(name)))
          expect({ ...template.match(template.expand(used)) }).toEqual(expected)
        }
      }),
    )
  })

  it('answers any URI, and only with values that lead back to it', () => {
    const source = fc.array(
      fc.constantFrom('{a}', '{+b}', '{/c}', '{/d*}', '{?e}', '{#f}', '{.g}', '{h,i}', 'x', '/', '-', '?'),
      { maxLength: 6 },
    )
    const uri = fc.string({ unit: fc.constantFrom(...'x/-?#.,=&ey') })
    fc.assert(
      fc.property(source, uri, (parts, given) => {
        const template = parseTemplate(parts.join(''))
        const found = template.match(given)
        // Not told apart by the values: `?e` from `?e=`, `?` from nothing, a variable that is there once of two times.
        const isLossy = (parts.includes('{?e}') && !found?.e) || new Set(parts).size < parts.length
        if (found !== undefined && !isLossy) expect(decodeURIComponent(template.expand(found))).toBe(given)
      }),
      { numRuns: 20_000 },
    )
  })

  it('reads as a greedy regular expression would', () => {
    const patterns = new Map([
      ['{a}', '(?<a>[^/?#]+)'],
      ['{b}', '(?<b>[^/?#]+)'],
      ['{+c}', '(?<c>[^]+)'],
      ['{/d}', '(?:/(?<d>[^/?#]*))?'],
      ['{#e}', '(?:#(?<e>[^]*))?'],
    ])
    const expressions = fc.shuffledSubarray([...patterns.keys()])
    const literals = fc.array(fc.constantFrom('', 'x', '/', '-', 'x-'), { minLength: 6, maxLength: 6 })
    const values = fc.array(fc.string({ unit: fc.constantFrom(...'xx//-#y'), maxLength: 4 }), {
      minLength: 6,
      maxLength: 6,
    })
    let matches = 0
    fc.assert(
      fc.property(expressions, literals, values, (parts, between, filled) => {
        const given = parts.map((_, index) => between[index]! + filled[index]!).join('') + between[5]!
        const source = parts.map((part, index) => between[index] + part).join('') + between[5]
        const pattern = parts.map((part, index) => between[index] + patterns.get(part)!).join('') + between[5]
        const groups = new RegExp(`^${pattern}$`).exec(given)
        const expected = groups && Object.entries(groups.groups ?? {}).filter(([, value]) => value !== undefined)
        const found = parseTemplate(source).match(given)
        if (found) matches++
        expect(found ? Object.entries(found).sort() : null).toEqual(expected?.sort() ?? null)
      }),
      { numRuns: 20_000 },
    )
    expect(matches).toBeGreaterThan(5000)
  })

  it('looks at each character a few times for each part of the longest URIs, whatever the template', () => {
    const { maxUriLength, maxVariables } = TEMPLATE_LIMITS
    // Counted where it does not take long: the work grows with the length and not beyond.
    const length = 4096
    const many = (make: (index: number) => string) =>
      Array.from({ length: maxVariables }, (_, index) => make(index)).join('')
    const inputs: [string, string][] = [
      [many((index) => `{v${index}}a`), 'a'.repeat(length)],
      [many((index) => `{+v${index}}a`), `${'a'.repeat(length - 1)}b`],
      [many((index) => `{v${index}}`), 'a'.repeat(length)],
      [many((index) => `{/v${index}}x`), '/x'.repeat(length / 2)],
      [`{a}${'a'.repeat(2000)}{b}`, 'a'.repeat(length)],
      [many((index) => `{+v${index}}a`), 'a'.repeat(maxUriLength + 1)],
    ]
    for (const [source, uri] of inputs) {
      const template = parseTemplate(source)
      const looks = countLooks(() => template.match(uri))
      const parts = source.split('{').length * 2
      expect(looks, source.slice(0, 20)).toBeLessThanOrEqual(2 * parts * (Math.min(uri.length, length) + 1))
    }
  })
})

/** How often an action looks at a character or for a text: what it costs on any machine. */
function countLooks(action: () => void): number {
  let looks = 0
  const names = ['charCodeAt', 'indexOf', 'startsWith'] as const
  const originals = names.map((name) => [name, String.prototype[name] as (...args: never[]) => unknown] as const)
  const define = (name: string, value: unknown) =>
    Object.defineProperty(String.prototype, name, { value, configurable: true, writable: true })
  for (const [name, original] of originals) {
    define(name, function (this: string, ...args: never[]) {
      looks++
      return original.apply(this, args)
    })
  }
  try {
    action()
  } finally {
    for (const [name, original] of originals) define(name, original)
  }
  return looks
}
