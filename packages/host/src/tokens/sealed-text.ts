/**
 * Text as a store that others can read may hold it: AES-256-GCM with the record's key bound in, under a name that tells
 * nothing. Both come from one key by derivation, so that neither helps against the other. `redis-store.ts` keeps the result.
 */

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { PorticoError } from '@portico/sdk/server'

export interface TextSeal {
  /** The name for a key; whoever does not have the secret can neither read nor guess it. */
  nameOf(key: string): string
  seal(key: string, value: string): string
  /** Undefined for what was altered, moved from another key or sealed with another secret. */
  unseal(key: string, sealed: string): string | undefined
}

export function createTextSeal(secret: Uint8Array): TextSeal {
  if (secret.length !== 32) throw new PorticoError('invalid-arguments', 'The key must be 32 bytes')
  const nameKey = derive(secret, 'portico token names')
  const valueKey = derive(secret, 'portico token values')
  return {
    nameOf: (key) => createHmac('sha256', nameKey).update(key).digest('base64url'),
    seal(key, value) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', valueKey, nonce).setAAD(Buffer.from(key))
      return Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
        'base64',
      )
    },
    unseal(key, sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      if (bytes.length < NONCE + TAG) return undefined
      try {
        const decipher = createDecipheriv('aes-256-gcm', valueKey, bytes.subarray(0, NONCE), { authTagLength: TAG })
          .setAAD(Buffer.from(key))
          .setAuthTag(bytes.subarray(-TAG))
        return Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]).toString('utf8')
      } catch {
        return undefined
      }
    },
  }
}

const NONCE = 12
const TAG = 16

function derive(secret: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), purpose, 32))
}
