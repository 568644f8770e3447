import { parseHTML } from 'linkedom'
import { describe, expect, it } from 'vitest'
import { removeUnseen } from './unseen.ts'

function seen(html: string): string {
  const { document } = parseHTML(`<!doctype html><html><head></head><body>${html}</body></html>`)
  removeUnseen(document)
  return (document.body.textContent ?? '').trim()
}

const styled = (style: string): string => `<p style="${style}">secret</p>`

describe('what a reader would not see', () => {
  it.each([
    styled('display: none'),
    styled('DISPLAY:NONE !important'),
    styled('visibility:hidden'),
    styled('opacity: 0.01'),
    styled('font-size:1px'),
    styled('color:#fff'),
    styled('color:white;background:#ffffff'),
    styled('color: rgb(0, 0, 0); background-color: black'),
    styled('color: transparent'),
    styled('color: rgba(10,10,10,0)'),
    `<div style="background:#101010"><i style="color:#111">secret</i></div>`,
    '<font color="white">secret</font>',
    styled('position:absolute; left:-9999px'),
    styled('position:fixed;top:-2000em'),
    styled('text-indent:-9999px'),
    styled('margin-left: -5000px'),
    styled('position:absolute;clip:rect(0 0 0 0)'),
    styled('clip-path: inset(100%)'),
    styled('height:0;overflow:hidden'),
    styled('max-height: 0px; overflow-y: hidden'),
    styled('transform: scale(0)'),
    styled('transform:translateX(-10000px)'),
    '<style>.x, .y { color: red; display: none }</style><p class="x">secret</p><div class="y">secret</div>',
    '<style>/* { */ #z{position:absolute;left:-999px}</style><p id="z">secret</p>',
  ])('servers 17: is taken out: %s', (html) => {
    expect(seen(html)).toBe('')
  })

  it.each([
    '<p>shown</p>',
    styled('color:#333').replace('secret', 'shown'),
    styled('color:white;background:#003366').replace('secret', 'shown'),
    '<div style="background:navy"><p style="color:white">shown</p></div>',
    '<link rel="stylesheet" href="a.css"><div class="dark"><p style="color:white">shown</p></div>',
    styled('opacity:0.5;left:-9999px').replace('secret', 'shown'),
    styled('height:0').replace('secret', 'shown'),
    styled('margin-left:-12px').replace('secret', 'shown'),
    '<style>@media print { .x { display: none } } .x:hover { display: none }</style><p class="x">shown</p>',
    '<style>body { visibility: hidden }</style><p>shown</p>',
    '<style>::: { display: none } p[ { opacity: 0 }</style><p>shown</p>',
  ])('servers 17: stays where it can be seen: %s', (html) => {
    expect(seen(html)).toBe('shown')
  })

  it('servers 17: a sheet without an end is read in linear time', () => {
    expect(seen(`<style>${'/*'.repeat(100_000)}</style><style>${'a{'.repeat(50_000)}</style><p>shown</p>`)).toBe(
      'shown',
    )
  })
})

it('sec-751: what stands far up is read once, however much is inside it', () => {
  let asked = 0
  const element = (parentElement: object | null, style: string) => ({
    localName: 'i',
    parentElement,
    textContent: '',
    getAttribute(name: string) {
      asked++
      return name === 'style' ? style : null
    },
    remove() {},
  })
  let top: ReturnType<typeof element> | null = null
  for (let depth = 0; depth < 49; depth++) top = element(top, 'a:b')
  const inside = Array.from({ length: 1_000 }, () => element(top, 'color:#f00'))
  const document = { querySelectorAll: (selector: string) => (selector.startsWith('[style]') ? inside : []) }
  removeUnseen(document as unknown as Parameters<typeof removeUnseen>[0])
  expect(asked).toBeLessThan(10 * (inside.length + 49))
})
