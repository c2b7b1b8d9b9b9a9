/**
 * Words for the status of a component, as people write them. The words of all languages apply at
 * once, because the language of a message is not that of the dashboard.
 */
import type { DisruptedStatus, Locale } from '@status-page/contracts'

export const statusWords: Partial<Record<Locale, Record<DisruptedStatus, readonly string[]>>> = {
  en: {
    major_outage: [
      ...['down', 'outage', 'major outage', 'offline', 'unavailable', 'not available'],
      ...['unreachable', 'not reachable', 'broken', 'failing', 'failed', 'not working'],
    ],
    partial_outage: [
      ...['partial outage', 'partially down', 'partly down', 'partially unavailable'],
      ...['errors', 'intermittent', 'flaky', 'unstable'],
    ],
    degraded_performance: [
      ...['slow', 'slowness', 'degraded', 'degraded performance', 'latency', 'delayed', 'delays'],
    ],
  },
  de: {
    major_outage: [
      ...['ausfall', 'ausgefallen', 'nicht erreichbar', 'nicht verfügbar', 'kaputt'],
      ...['funktioniert nicht', 'unerreichbar'],
    ],
    partial_outage: [
      ...['teilausfall', 'teilweise ausgefallen', 'teilweise nicht erreichbar', 'störung'],
      ...['störungen', 'gestört', 'fehler', 'instabil'],
    ],
    degraded_performance: [
      ...['langsam', 'beeinträchtigt', 'beeinträchtigte leistung', 'verzögert', 'verzögerungen'],
    ],
  },
  fr: {
    major_outage: [
      ...['panne', 'en panne', 'panne majeure', 'hors service', 'hors ligne', 'indisponible'],
      ...['indisponibles', 'inaccessible', 'injoignable', 'ne fonctionne pas'],
    ],
    partial_outage: [
      ...['panne partielle', 'partiellement indisponible', 'perturbé', 'perturbée'],
      ...['perturbations', 'erreurs', 'instable'],
    ],
    degraded_performance: [
      ...['lent', 'lente', 'lents', 'lentes', 'lenteurs', 'ralenti', 'ralentie', 'dégradé'],
      ...['dégradée', 'performances dégradées', 'retards'],
    ],
  },
  es: {
    major_outage: [
      ...['caído', 'caída', 'caídos', 'caídas', 'fuera de servicio', 'sin servicio'],
      ...['no disponible', 'no funciona', 'inaccesible', 'interrupción', 'interrupción grave'],
    ],
    partial_outage: [
      ...['interrupción parcial', 'parcialmente caído', 'parcialmente caída', 'errores', 'fallos'],
      ...['intermitente', 'inestable'],
    ],
    degraded_performance: [
      ...['lento', 'lenta', 'lentos', 'lentas', 'lentitud', 'degradado', 'degradada'],
      ...['rendimiento degradado', 'retrasos'],
    ],
  },
  ja: {
    major_outage: [
      ...['ダウン', '停止', '停止中', '障害', '重大な障害', '利用不可', '利用できません'],
      ...['接続できません', '使えません'],
    ],
    partial_outage: ['一部障害', '一部停止', '一部ダウン', '不安定', 'エラー'],
    degraded_performance: ['遅い', '遅延', '低下', 'パフォーマンス低下', '重い'],
  },
  ar: {
    major_outage: [
      ...['متوقف', 'متوقفة', 'معطل', 'معطلة', 'تعطل', 'انقطاع', 'انقطاع كبير', 'لا يعمل'],
      ...['لا تعمل', 'خارج الخدمة', 'غير متاح', 'غير متاحة'],
    ],
    partial_outage: ['انقطاع جزئي', 'متقطع', 'متقطعة', 'أخطاء', 'غير مستقر', 'غير مستقرة'],
    degraded_performance: ['بطيء', 'بطيئة', 'بطء', 'أداء منخفض', 'تأخير'],
  },
}
