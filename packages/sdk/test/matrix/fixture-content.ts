/** Content of every kind, with every member a block may have. */

import type { ContentBlock, Icon } from '../../src/protocol/content.ts'

export const ICONS: Icon[] = [
  { src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' },
]

/** A PNG of one pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMCAYBl2Rj3AAAAAElFTkSuQmCC'

const extras = {
  annotations: { audience: ['user' as const], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' },
  _meta: { 'com.example/x': 1 },
}

export const BLOCKS: ContentBlock[] = [
  { type: 'text', text: 'plain', ...extras },
  { type: 'image', data: PIXEL, mimeType: 'image/png', ...extras },
  { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav', ...extras },
  {
    type: 'resource_link',
    uri: 'file:///readme.txt',
    name: 'readme',
    title: 'Read me',
    description: 'A text',
    mimeType: 'text/plain',
    size: 5,
    icons: ICONS,
    ...extras,
  },
  {
    type: 'resource',
    resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'inside', _meta: { 'com.example/y': 2 } },
    ...extras,
  },
  { type: 'resource', resource: { uri: 'file:///a.png', mimeType: 'image/png', blob: PIXEL } },
]
