/** URI templates: hostile sources, values and URIs. What a template has made, it also matches. */

import fc from 'fast-check'
import { PorticoError } from '../../../packages/sdk/src/jsonrpc/errors.ts'
import { parseTemplate, type UriTemplate } from '../../../packages/sdk/src/schema/uri-template/uri-template.ts'
import { demand, opened, type Target } from '../target.ts'
import { anyText, hostileKey, toOwnMembers } from '../words.ts'

const name = fc.oneof(fc.constantFrom('a', 'b', 'c', 'path', 'x_1'), hostileKey)
const variable = fc.tuple(name, fc.constantFrom('', '*', ':1', ':3', ':9999')).map((parts) => parts.join(''))
const expression = fc
  .tuple(fc.constantFrom('', '+', '#', '.', '/', ';', '?', '&'), fc.array(variable, { minLength: 1, maxLength: 4 }))
  .map(([operator, variables]) => `{${operator}${variables.join(',')}}`)
const source = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .array(fc.oneof(expression, fc.constantFrom('/', 'files:///', '-', 'a', '.', '%41')), { maxLength: 8 })
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: fc.nat({ max: 40 }).map((count) => 'x://{a}{b}{c*}{+d}{?e*}{/f*}'.repeat(count)) },
)
const value = fc.oneof(
  anyText,
  fc.array(anyText, { maxLength: 4 }),
  fc
    .array(fc.tuple(anyText, anyText), { maxLength: 3 })
    .map((entries) => toOwnMembers(entries) as { [key: string]: string }),
)
const values = fc.array(fc.tuple(name, value), { maxLength: 5 }).map(toOwnMembers)
const uri = fc.oneof(
  anyText,
  fc
    .tuple(fc.constantFrom('files:///', 'x://', ''), fc.array(anyText, { maxLength: 6 }))
    .map(([start, parts]) => start + parts.join('/')),
  fc.nat({ max: 3000 }).map((count) => `x://${'a'.repeat(count)}${'/a,b=c'.repeat(count / 10)}!`),
)

export const templates: Target = {
  name: 'templates',
  about: 'URI templates and the URIs held against them',
  open: () =>
    opened({
      arbitrary: fc.record({ source, values, uri }),
      run(input) {
        const template = parse(input.source)
        if (template === undefined) return
        template.match(input.uri)
        let made: string
        try {
          // Whatever a caller without types may pass.
          made = template.expand(input.values as Parameters<UriTemplate['expand']>[0])
        } catch (error) {
          demand(error instanceof PorticoError, `an error of no known kind: ${String(error)}`)
          return
        }
        template.match(made)
      },
    }),
}

function parse(text: string): UriTemplate | undefined {
  try {
    return parseTemplate(text)
  } catch (error) {
    demand(error instanceof PorticoError, `an error of no known kind: ${String(error)}`)
    return undefined
  }
}
