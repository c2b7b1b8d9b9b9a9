/**
 * Reduces an SVG to static shapes. resvg reads it into a tree of paths, gradients, masks, clips,
 * patterns and filters with resolved styles, and writes that tree: scripts, handlers, links,
 * animations, style sheets and foreign objects have no place in it. The result is accepted only if
 * each of its elements and attributes is on a list and refers to nothing outside of it.
 *
 * DOMPurify was rejected: it leaves style sheets as they are, and without them most logos lose
 * their colours.
 */
import { Resvg } from '@resvg/resvg-js'
import { DOMParser, XMLSerializer } from '@xmldom/xmldom'
import { fontFiles } from '../../fonts.ts'
import { type EncodedImage, fitWithin, ImageProblem } from './image.ts'
import { retainShapes } from './svg-allow-list.ts'

/** Size of the tree as resvg writes it, with indentation. */
const MAX_TREE_CHARACTERS = 2 * 1024 * 1024

export const convertVector = (file: Buffer): EncodedImage => {
  const { tree, size } = readTree(file)
  const { width, height } = fitWithin(size)
  const content = Buffer.from(serialize(tree, { width, height }))
  return { contentType: 'image/svg+xml', width, height, content }
}

interface Size {
  width: number
  height: number
}

const readTree = (file: Buffer): { tree: string; size: Size } => {
  try {
    const resvg = new Resvg(decode(file), {
      font: { loadSystemFonts: false, fontFiles, defaultFontFamily: 'Noto Sans' },
      logLevel: 'off',
    })
    const { width, height } = resvg
    return { tree: resvg.toString(), size: { width, height } }
  } catch (error) {
    throw new ImageProblem('is not a valid SVG image', { cause: error })
  }
}

const decode = (file: Buffer): string => new TextDecoder('utf-8', { fatal: true }).decode(file)

const serialize = (tree: string, { width, height }: Size): string => {
  if (tree.length > MAX_TREE_CHARACTERS) throw new ImageProblem('has too many shapes')
  const document = new DOMParser({ errorHandler: refuse }).parseFromString(tree, 'image/svg+xml')
  const root = document.documentElement
  retainShapes(root)
  root.setAttribute('width', String(width))
  root.setAttribute('height', String(height))
  return new XMLSerializer().serializeToString(root).replaceAll(/>\s+</g, '><')
}

/** The parser continues after most problems; here each of them is final. */
const refuse = (_level: string, message: unknown): never => {
  throw new ImageProblem('is not a valid SVG image', { cause: message })
}
