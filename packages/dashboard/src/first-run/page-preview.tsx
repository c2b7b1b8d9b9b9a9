/** Preview of the public page with the entered name, colour and logo. */
import type { CSSProperties } from 'react'
import { StateMark } from '../kit/icon.tsx'
import { isImageAddress } from '../kit/image-field.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './page-preview.module.css'

interface PagePreviewProps {
  name: string
  colour: string
  logoUrl: string
}

const BLACK = '#0b1016'
const WHITE = '#ffffff'
/** Lightness above which black text is easier to read than white. */
const LIGHT = 0.6

/** Accent colour, with the text colour that is readable on it. */
const accentOf = (colour: string): CSSProperties => {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\da-f]{2}/gi) ?? []).map(
    (part) => Number.parseInt(part, 16) / 255,
  )
  const lightness = 0.3 * red + 0.59 * green + 0.11 * blue
  return { '--accent': colour, '--on-accent': lightness > LIGHT ? BLACK : WHITE } as CSSProperties
}

export const PagePreview = ({ name, colour, logoUrl }: PagePreviewProps) => {
  const { firstRun, components } = useTexts()
  const { preview, previewSubscribe, previewBanner, previewComponents } = firstRun.page
  return (
    <figure className={classes.preview} style={accentOf(colour)}>
      <figcaption className={classes.caption}>{preview}</figcaption>
      <div className={classes.window}>
        <div className={classes.header}>
          {isImageAddress(logoUrl) ? (
            <img className={classes.logo} src={logoUrl} alt={name} />
          ) : (
            <strong>
              <bdi>{name}</bdi>
            </strong>
          )}
          <span className={classes.subscribe}>{previewSubscribe}</span>
        </div>
        <p className={classes.banner}>
          <StateMark state="ok" />
          {previewBanner}
        </p>
        <ul className={classes.list}>
          {previewComponents.map((component) => (
            <li key={component}>
              <span>{component}</span>
              <span className={classes.state}>
                <StateMark state="ok" /> {components.operational}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </figure>
  )
}
