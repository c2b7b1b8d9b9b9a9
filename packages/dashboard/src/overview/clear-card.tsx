/** Sections without entries in one card, so that they take less room than those that wait. */
import type { Schemas } from '@status-page/client'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { useTexts } from '../texts/texts.tsx'
import { clearSectionsOf } from './clear-sections.ts'
import classes from './overview.module.css'

export const ClearCard = ({ overview }: { overview: Schemas['Overview'] }) => {
  const { overview: texts } = useTexts()
  const sections = clearSectionsOf(overview)
  if (sections.length === 0) return null
  return (
    <Card title={texts.clear}>
      <ul className={classes.clear}>
        {sections.map((section) => (
          <li key={section}>
            <StateMark state="ok" />
            <span>{texts[section]}</span>
            <span className={classes.none}>{texts.none}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
