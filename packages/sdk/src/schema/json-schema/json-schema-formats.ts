/** The formats that a caller may have asserted. Each is one pass over the text; none can backtrack far. */

import type { Formats } from './json-schema-site.ts'

export const FORMATS: Formats = new Map<string, (text: string) => boolean>([
  ['date', isDate],
  ['time', isTime],
  ['date-time', (text) => /^.{10}T/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))],
  ['duration', isDuration],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['uri', (text) => isUriReference(text) && /^[a-z][a-z\d+.-]*:/i.test(text)],
  ['uri-reference', isUriReference],
  ['uuid', (text) => /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(text)],
  ['json-pointer', (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text)],
  ['relative-json-pointer', (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/.test(text)],
  ['regex', isRegex],
])

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return days !== undefined && day >= 1 && day <= days
}

function isTime(text: string): boolean {
  const match = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text)
  if (match === null) return false
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const [zoneHour, zoneMinute] = [Number(match[5] ?? 0), Number(match[6] ?? 0)]
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return false
  if (second < 60) return true
  // A leap second falls on the last minute of a day in UTC.
  const shift = (match[4] === '-' ? 1 : -1) * (zoneHour * 60 + zoneMinute)
  return (((hour * 60 + minute + shift) % 1440) + 1440) % 1440 === 1439
}

function isDuration(text: string): boolean {
  if (/^P\d+W$/.test(text)) return true
  return /^P(?!$)(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?$/.test(
    text,
  )
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  if (at < 1) return false
  const isQuoted = /^"(?:[^"\\\r\n]|\\[ -~])*"$/.test(local)
  const isDotted = local.split('.').every((part) => /^[\w!#$%&'*+/=?^`{|}~-]+$/.test(part))
  if (!isQuoted && !isDotted) return false
  if (!domain.startsWith('[') || !domain.endsWith(']')) return isHostname(domain)
  const address = domain.slice(1, -1)
  return address.startsWith('IPv6:') ? isIpv6(address.slice(5)) : isIpv4(address)
}

function isHostname(text: string): boolean {
  if (text.length > 253) return false
  return text
    .split('.')
    .every((label) => /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i.test(label) && !/^(?!xn)..--/i.test(label))
}

function isIpv4(text: string): boolean {
  const parts = text.split('.', 5)
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  let groups = 0
  for (const [index, half] of halves.entries()) {
    if (half === '') {
      if (halves.length === 1) return false
      continue
    }
    const parts = half.split(':')
    const last = parts.at(-1)!
    if (last.includes('.') && index === halves.length - 1) {
      if (!isIpv4(last)) return false
      parts.splice(-1, 1, '0', '0')
    }
    if (!parts.every((part) => /^[\da-f]{1,4}$/i.test(part))) return false
    groups += parts.length
  }
  return halves.length === 2 ? groups < 8 : groups === 8
}

/** RFC 3986 by its parts: no space, quote, backslash or bare percent; brackets only around an address in the authority. */
function isUriReference(text: string): boolean {
  const match = /^(?:([^:/?#]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text)
  if (match === null) return false
  const [, scheme, authority, path, query, fragment] = match
  if (scheme !== undefined && !/^[a-z][a-z\d+.-]*$/i.test(scheme)) return false
  if (authority !== undefined && !isAuthority(authority)) return false
  return [path, query, fragment].every((part) => part === undefined || isUriText(part))
}

function isAuthority(text: string): boolean {
  const at = text.indexOf('@')
  const user = text.slice(0, Math.max(at, 0))
  const host = /^(\[[^\]]*\]|[^:@]*)(?::\d*)?$/.exec(text.slice(at + 1))?.[1]
  if (host === undefined || !isUriText(user)) return false
  if (!host.startsWith('[')) return isUriText(host)
  return isIpv6(host.slice(1, -1)) || /^\[v[\da-f]+\.[\w\-.~!$&'()*+,;=:]+\]$/i.test(host)
}

function isUriText(text: string): boolean {
  return /^[\w\-.~!$&'()*+,;=:@/?%]*$/.test(text) && !/%(?![\da-f]{2})/i.test(text)
}

function isRegex(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}
