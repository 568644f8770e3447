/** URI templates as far as a form needs them (RFC 6570): their variables, and the address that values make. */

const EXPRESSION = /\{([+#./;?&]?)([^{}]{1,500})\}/g

export function variablesOf(template: string): readonly string[] {
  const names = new Set<string>()
  for (const [, , list = ''] of template.matchAll(EXPRESSION)) {
    for (const { name } of specsOf(list)) names.add(name)
  }
  return [...names]
}

/** Variables without a value are left out, as the rules have it. */
export function expandTemplate(template: string, values: ReadonlyMap<string, string>): string {
  return template.replace(EXPRESSION, (_whole, operator: string, list: string) => {
    const { first, between, named, reserved } = STYLES[operator] ?? PLAIN
    const given = specsOf(list).flatMap(({ name, most }) => {
      const value = values.get(name)
      if (value === undefined || value === '') return []
      const text = encode(most === undefined ? value : [...value].slice(0, most).join(''), reserved)
      return [named ? `${name}=${text}` : text]
    })
    return given.length === 0 ? '' : first + given.join(between)
  })
}

interface Style {
  readonly first: string
  readonly between: string
  readonly named: boolean
  readonly reserved: boolean
}

const PLAIN: Style = { first: '', between: ',', named: false, reserved: false }
const STYLES: { readonly [operator: string]: Style } = {
  '+': { ...PLAIN, reserved: true },
  '#': { ...PLAIN, first: '#', reserved: true },
  '.': { ...PLAIN, first: '.', between: '.' },
  '/': { ...PLAIN, first: '/', between: '/' },
  ';': { ...PLAIN, first: ';', between: ';', named: true },
  '?': { ...PLAIN, first: '?', between: '&', named: true },
  '&': { ...PLAIN, first: '&', between: '&', named: true },
}

function specsOf(list: string): { readonly name: string; readonly most: number | undefined }[] {
  return list.split(',').map((spec) => {
    const [name = '', most] = spec.replace(/\*$/, '').split(':')
    return { name: name.trim(), most: most === undefined ? undefined : Number(most) }
  })
}

function encode(text: string, reserved: boolean): string {
  // What cannot be encoded (half a character) is left out.
  const whole = text.replace(/\p{Surrogate}/gu, '')
  if (!reserved)
    return encodeURIComponent(whole).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return encodeURI(whole).replaceAll('%5B', '[').replaceAll('%5D', ']')
}
