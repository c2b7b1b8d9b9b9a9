/** Service levels whose error budget is exceeded or nearly used up. */
import type { Schemas } from '@status-page/client'
import { ListRow } from '../kit/list-row.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ListCard } from './list.tsx'

export const ServiceLevelsCard = ({ slas }: Pick<Schemas['Overview'], 'slas'>) => {
  const { overview: texts } = useTexts()
  if (slas === null) return null
  const { breached, atRisk } = slas
  const shown = breached.items.length + atRisk.items.length
  return (
    <ListCard title={texts.serviceLevels} total={breached.total + atRisk.total} shown={shown}>
      {breached.items.map(({ id, name }) => (
        <ListRow key={id} state="down" title={name} facts={[texts.breached]} />
      ))}
      {atRisk.items.map(({ id, name }) => (
        <ListRow key={id} state="slow" title={name} facts={[texts.atRisk]} />
      ))}
    </ListCard>
  )
}
