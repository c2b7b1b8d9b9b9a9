/** Values of a METRIC component as a graph. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ProblemNote } from '../app/problem-note.tsx'
import { Card } from '../kit/card.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import { componentValuesQuery, type Range } from './queries.ts'
import type { ComponentData } from './tree.ts'
import { RangeChoice, ValueGraph } from './value-graph.tsx'

export const ValuesCard = ({ component }: { component: ComponentData }) => {
  const { responseTimes: texts } = useTexts().measurements
  const [range, setRange] = useState<Range>('day')
  const { data, error } = useQuery({
    ...componentValuesQuery(component.id, range),
    placeholderData: keepPreviousData,
  })
  return (
    <Card title={texts.values} aside={<RangeChoice range={range} onChange={setRange} />}>
      <div className={classes.chart}>
        {data !== undefined && (
          <ValueGraph
            data={data}
            warningThreshold={component.warningThreshold ?? null}
            criticalThreshold={component.criticalThreshold ?? null}
            empty={texts.empty}
          />
        )}
        <ProblemNote error={error} />
      </div>
    </Card>
  )
}
