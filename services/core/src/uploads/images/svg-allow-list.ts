/**
 * Elements and attributes of a cleaned SVG. Every other attribute is removed; every other element
 * refuses the image, because it would be incomplete without it.
 */
import { ImageProblem } from './image.ts'

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const elements = wordsOf(`
  svg defs g path linearGradient radialGradient stop pattern clipPath mask filter
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting
  feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR
  feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting
  feSpotLight feTile feTurbulence
`)

const attributes = wordsOf(`
  id xmlns viewBox preserveAspectRatio x y width height transform d
  fill fill-opacity fill-rule clip-rule stroke stroke-width stroke-opacity stroke-linecap
  stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset
  opacity visibility paint-order shape-rendering clip-path mask filter
  x1 y1 x2 y2 cx cy r fx fy fr gradientUnits gradientTransform spreadMethod
  offset stop-color stop-opacity
  patternUnits patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits
  mask-type
  filterUnits primitiveUnits color-interpolation-filters result in in2 mode type values
  tableValues slope intercept amplitude exponent operator k1 k2 k3 k4 order kernelMatrix divisor
  bias targetX targetY edgeMode preserveAlpha scale xChannelSelector yChannelSelector
  surfaceScale diffuseConstant specularConstant specularExponent lighting-color azimuth elevation
  z pointsAtX pointsAtY pointsAtZ limitingConeAngle baseFrequency numOctaves seed stitchTiles
  radius dx dy stdDeviation flood-color flood-opacity
`)

/** Blending is the only style that resvg writes as a declaration. */
const BLENDING = /^(?:(?:mix-blend-mode|isolation|mask-type):\s*[a-z-]+;?\s*)+$/
const REFERENCE = /url\((?!#)/i

/** Removes attributes that are not on the list; throws `ImageProblem` for other elements. */
export const retainShapes = (root: Element): void => {
  for (const element of [root, ...Array.from(root.getElementsByTagName('*'))]) {
    if (!elements.has(element.tagName)) {
      throw new ImageProblem(problems[element.tagName] ?? `must not contain ${element.tagName}`)
    }
    for (const { name, value } of Array.from(element.attributes)) {
      const isStyle = name === 'style' && BLENDING.test(value)
      const isListed = attributes.has(name) && !REFERENCE.test(value)
      if (!isStyle && !isListed) element.removeAttribute(name)
    }
  }
}

const problems: Readonly<Record<string, string>> = {
  image: 'must not contain other images',
  feImage: 'must not contain other images',
}
