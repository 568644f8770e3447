/** A client certificate that TLS has verified, in the words of the request head. Node only. */

import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { PeerCertificate } from '../../session/exchange.ts'

/** Undefined on plain connections, without a certificate, and when its chain was not verified. */
export function peerCertificateOf(socket: Socket): PeerCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const certificate = socket.getPeerCertificate()
  // Node gives an empty object where the client showed none.
  if (certificate?.fingerprint256 === undefined) return undefined
  return {
    subject: toDistinguishedName(certificate.subject),
    issuer: toDistinguishedName(certificate.issuer),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    names: toAlternativeNames(certificate.subjectaltname ?? ''),
  }
}

/** `CN=alice, O=Example`. What would read as structure within a value is escaped: a value may hold `, O=Admins`. */
export function toDistinguishedName(parts: object): string {
  const quote = (value: unknown) => String(value).replace(/[,=+\\"<>;#]/g, '\\$&')
  return Object.entries(parts)
    .flatMap(([key, value]) => (Array.isArray(value) ? value : [value]).map((one) => `${key}=${quote(one)}`))
    .join(', ')
}

/** The names of Node's list. A value with a comma or quote in it comes as a JSON string, and stays one name. */
export function toAlternativeNames(list: string): string[] {
  const names: string[] = []
  for (const [, kind = '', quoted, plain = ''] of list.matchAll(
    /([^:,"]+):(?:("(?:[^"\\]|\\.)*")|([^",]*))(?:, |$)/gy,
  )) {
    names.push(`${kind}:${quoted === undefined ? plain : unquote(quoted)}`)
  }
  return names
}

function unquote(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}
