/** Images for tests: valid ones, and files that a decoder must survive. */
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

const RED = { r: 200, g: 20, b: 20, alpha: 0.5 }

/** One-coloured image; a JPEG has no transparency. */
export const pictureOf = (
  format: 'png' | 'jpeg' | 'webp' | 'gif',
  { width = 60, height = 40 }: { width?: number; height?: number } = {},
): Promise<Buffer> =>
  sharp({ create: { width, height, channels: format === 'jpeg' ? 3 : 4, background: RED } })
    .toFormat(format)
    .toBuffer()

const chunk = (type: string, data: Buffer): Buffer => {
  const content = Buffer.concat([Buffer.from(type), data])
  const framed = Buffer.alloc(content.length + 8)
  framed.writeUInt32BE(data.length, 0)
  content.copy(framed, 4)
  framed.writeUInt32BE(crc32(content), content.length + 4)
  return framed
}

/** PNG that states a size and has the pixels of its first rows only. */
export const pngWithRows = (width: number, height: number, rows: number): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'

export const svgOf = (content: string, attributes = 'viewBox="0 0 100 50"'): string =>
  `<svg ${NAMESPACES} ${attributes}>${content}</svg>`

/** Each level draws the one below ten times. */
export const nestedUses = (levels: number): string => {
  const groups = Array.from({ length: levels }, (_, level) => {
    return `<g id="l${level + 1}">${`<use href="#l${level}"/>`.repeat(10)}</g>`
  })
  const base = '<g id="l0"><rect width="1" height="1"/></g>'
  return svgOf(`<defs>${base}${groups.join('')}</defs><use href="#l${levels}"/>`)
}
