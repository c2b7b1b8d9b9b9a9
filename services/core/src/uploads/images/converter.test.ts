/** Conversion of uploaded images: retained, removed and refused content. */
import sharp from 'sharp'
import t from 'tap'
import { nestedUses, pictureOf, pngWithRows, svgOf } from '../images.fixture.ts'
import { createImageConverter } from './converter.ts'

const converter = createImageConverter()
const convert = (file: Buffer | string) => converter.convert(Buffer.from(file), 'organization')

const problemOf = async (file: Buffer | string): Promise<string> => {
  try {
    const { contentType } = await convert(file)
    return `accepted as ${contentType}`
  } catch (error) {
    const { code, details, message } = error as { code: string; details: unknown; message: string }
    if (code !== 'VALIDATION_ERROR') throw error
    t.match(details, { field: 'file' })
    return message
  }
}

t.test('raster images keep their format and are scaled down', async (t) => {
  for (const [format, size, expected] of [
    ['png', { width: 60, height: 40 }, [60, 40]],
    ['jpeg', { width: 4096, height: 4096 }, [1024, 1024]],
    ['webp', { width: 3000, height: 300 }, [1024, 102]],
  ] as const) {
    const image = await convert(await pictureOf(format, size))
    t.equal(image.contentType, `image/${format}`)
    t.same([image.width, image.height], expected)
    const decoded = await sharp(image.content).metadata()
    t.match(decoded, { format, width: expected[0], height: expected[1] })
  }
})

t.test('metadata and attached data are removed, and the orientation is applied', async (t) => {
  const photo = await sharp(await pictureOf('jpeg'))
    .withExif({ IFD0: { Copyright: 'secret-place' } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const upright = await convert(photo)
  t.same([upright.width, upright.height], [40, 60])
  const { exif, icc, orientation } = await sharp(upright.content).metadata()
  t.same([exif, icc, orientation], [undefined, undefined, undefined])
  const polyglot = Buffer.concat([await pictureOf('png'), Buffer.from('<script>alert(1)</script>')])
  const { content } = await convert(polyglot)
  t.notOk(content.includes('<script'))
})

t.test('an animated image keeps its first frame', async (t) => {
  const frames = await Promise.all(
    ['red', 'blue'].map((background) =>
      sharp({ create: { width: 8, height: 8, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  const animated = await sharp(frames, { join: { animated: true } })
    .webp({ lossless: true })
    .toBuffer()
  t.equal((await sharp(animated, { animated: true }).metadata()).pages, 2)
  const { content, width, height } = await convert(animated)
  t.same([width, height], [8, 8])
  t.equal((await sharp(content, { animated: true }).metadata()).pages ?? 1, 1)
  const { data } = await sharp(content).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  t.ok((data[0] ?? 0) > 200 && (data[2] ?? 255) < 50, 'red')
})

t.test('files that are not a whole image of a supported format are refused', async (t) => {
  const png = await pictureOf('png', { width: 600, height: 400 })
  const unsupported = 'file must be a PNG, JPEG, WebP or SVG image'
  const damaged = 'file is damaged or incomplete'
  const tooLarge = 'file has more than 16,777,216 pixels'
  const table: [string, Buffer | string, string][] = [
    ['a GIF', await pictureOf('gif'), unsupported],
    ['a text', 'hello', unsupported],
    ['truncated', png.subarray(0, png.length - 60), damaged],
    ['a signature alone', png.subarray(0, 8), damaged],
    ['fewer rows than stated', pngWithRows(400, 400, 10), damaged],
    ['a decompression bomb', pngWithRows(30_000, 30_000, 30_000 / 100), tooLarge],
    ['one row too many', pngWithRows(4097, 4096, 1), tooLarge],
    ['HTML', '<html><script>alert(1)</script></html>', 'file is not a valid SVG image'],
  ]
  for (const [name, file, problem] of table) t.equal(await problemOf(file), problem, name)
})

t.test('an SVG keeps its shapes and colours', async (t) => {
  const { contentType, width, height, content } = await convert(
    svgOf(`<style>.a{fill:#0b5fff}</style><rect class="a" width="100" height="50"/>
      <text x="5" y="20" font-size="12">Acme</text>`),
  )
  t.same([contentType, width, height], ['image/svg+xml', 100, 50])
  const text = content.toString()
  t.match(text, 'fill="#0b5fff"')
  t.notMatch(text, /<text|<style|class=/)
  t.ok((text.match(/<path/g) ?? []).length > 1, 'the text is a path')
  const { data, info } = await sharp(content).raw().toBuffer({ resolveWithObject: true })
  t.same([info.width, info.height, ...data.subarray(0, 3)], [100, 50, 0x0b, 0x5f, 0xff])
  const large = await convert(svgOf('<rect width="9" height="9"/>', 'width="1e8" height="5e7"'))
  t.same([large.width, large.height], [1024, 512])
})

t.test('nothing of an SVG survives that runs or loads', async (t) => {
  const name = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'
  const { content } = await convert(
    svgOf(
      `<script>alert(1)</script><script xlink:href="https://evil.example/x.js"/>
      <style>@import url(https://evil.example/x.css);rect{background:url(https://evil.example)}</style>
      <rect width="9" height="9" onclick="alert(1)" style="fill:url(https://evil.example/#a)"/>
      <a xlink:href="javascript:alert(1)"><circle r="4"/></a>
      <animate attributeName="href" values="javascript:alert(1)"/>
      <set attributeName="onload" to="alert(1)"/>
      <foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"/></foreignObject>
      <use href="https://evil.example/a.svg#x"/><iframe src="https://evil.example"/>
      <g id="${name}" opacity=".5"><path d="M0 0L9 9L0 9Z"/></g>`,
      'viewBox="0 0 9 9" onload="alert(1)"',
    ),
  )
  const text = content.toString()
  t.notMatch(
    text,
    /<script|\son\w+=|evil|javascript:|foreignObject|<use|<a[\s>]|iframe|animate|<set/,
  )
  t.match(text, /^<svg [^<]*><defs\/>(?:<\/?(?:g|path)[^<]*>)+<\/svg>$/)
})

t.test('an SVG with other images, entities or excessive content is refused', async (t) => {
  const images = 'file must not contain other images'
  const invalid = 'file is not a valid SVG image'
  const png = (await pictureOf('png')).toString('base64')
  const entities = ['a', 'b', 'c', 'd', 'e'].map(
    (name, index, all) => `<!ENTITY ${name} "${`&${all[index - 1] ?? 'lt'};`.repeat(10)}">`,
  )
  const table: [string, Buffer | string, string | RegExp][] = [
    [
      'an external image',
      svgOf('<image href="https://evil.example/a.png" width="9" height="9"/>'),
      images,
    ],
    [
      'an embedded image',
      svgOf(`<image href="data:image/png;base64,${png}" width="9" height="9"/>`),
      images,
    ],
    [
      'an image of a filter',
      svgOf(
        '<filter id="f"><feImage href="https://evil.example/a.png"/></filter><rect filter="url(#f)" width="9" height="9"/>',
      ),
      images,
    ],
    [
      'expanding entities',
      `<!DOCTYPE svg [${entities.join('')}]>${svgOf('<title>&e;</title>')}`,
      invalid,
    ],
    [
      'an external entity',
      `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${svgOf('<text>&a;</text>')}`,
      invalid,
    ],
    [
      'nested uses',
      nestedUses(9),
      /^file (?:is not a valid SVG image|is too complex|has too many shapes)$/,
    ],
    ['some nested uses', nestedUses(4), 'file has too many shapes'],
    ['deep nesting', svgOf(`${'<g>'.repeat(20_000)}${'</g>'.repeat(20_000)}`), invalid],
    [
      'long text',
      svgOf(`<text>${'W@'.repeat(250_000)}</text>`),
      /^file (?:is too complex|has too many shapes)$/,
    ],
    ['not UTF-8', Buffer.from(svgOf('<title>é</title>'), 'latin1'), invalid],
    ['no size', '<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>', invalid],
    ['not closed', '<svg xmlns="http://www.w3.org/2000/svg">', invalid],
  ]
  for (const [name, file, problem] of table) t.match(await problemOf(file), problem, name)
})
