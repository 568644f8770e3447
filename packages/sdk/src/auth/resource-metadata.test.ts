/** Identifiers of resources and where their metadata is (RFC 9728, section 3.1; 2026-07-28, "Canonical Server URI"). */

import { describe, expect, it } from 'vitest'
import { createAudienceTest, toCanonicalResource, toMetadataPaths, toMetadataUrl } from './resource-metadata.ts'

describe('toCanonicalResource (sec-63)', () => {
  it.each([
    ['https://mcp.example.com/', 'https://mcp.example.com'],
    ['HTTPS://MCP.Example.COM/Mcp', 'https://mcp.example.com/Mcp'],
    ['https://mcp.example.com:443/mcp', 'https://mcp.example.com/mcp'],
    ['https://mcp.example.com:8443', 'https://mcp.example.com:8443'],
    ['https://mcp.example.com/mcp/', 'https://mcp.example.com/mcp/'],
    ['https://mcp.example.com/?tenant=a', 'https://mcp.example.com/?tenant=a'],
  ])('%s is %s', (resource, canonical) => {
    expect(toCanonicalResource(resource)).toBe(canonical)
  })

  it.each(['mcp.example.com', 'https://a#b', 'https://a#', 'ftp://a', 'https://u@a', 'urn:a'])(
    '%s is none',
    (resource) => {
      expect(() => toCanonicalResource(resource)).toThrow(/resource/)
    },
  )
})

describe('createAudienceTest', () => {
  const isOurs = createAudienceTest('https://mcp.example.com/mcp', ['api://notes'])
  it.each([
    ['https://mcp.example.com/mcp', true],
    ['https://MCP.example.com:443/mcp', true],
    ['api://notes', true],
    ['https://mcp.example.com/mcp/', false],
    ['https://mcp.example.com/mcp/x', false],
    ['https://mcp.example.com', false],
    ['https://mcp.example.com/mcp?x', false],
    ['https://mcp.example.com.evil.example/mcp', false],
    ['https://mcp.example.com/mcp#', false],
    ['http://mcp.example.com/mcp', false],
    ['', false],
  ])('%j: %s', (audience, ours) => {
    expect(isOurs(audience)).toBe(ours)
  })
})

it('the metadata is where the well-known part is put before the path, and at the root', () => {
  const at = '/.well-known/oauth-protected-resource'
  expect(toMetadataPaths('https://a.example/x/mcp')).toEqual([`${at}/x/mcp`, at])
  expect(toMetadataPaths('https://a.example')).toEqual([at])
  expect(toMetadataUrl('https://a.example:8443/mcp')).toBe(`https://a.example:8443${at}/mcp`)
})
