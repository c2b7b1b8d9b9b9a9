/** Phrases of messages in Arabic. */
import type { MessagePhrases } from '../language.ts'

const MINUTES_PER_HOUR = 60

/** Isolates the direction of an inserted text: otherwise a time would be displayed backwards. */
const own = (text: string): string => `\u2068${text}\u2069`

/** One, two, few (3 to 10) and many are different words. */
const plural = new Intl.PluralRules('ar')

const counted = (
  count: number,
  forms: { one: string; two: string; few: string; many: string },
): string => {
  const rule = plural.select(count)
  if (rule === 'one') return forms.one
  if (rule === 'two') return forms.two
  return `${count} ${rule === 'few' ? forms.few : forms.many}`
}

const minutesOf = (count: number): string =>
  counted(count, { one: 'دقيقة واحدة', two: 'دقيقتان', few: 'دقائق', many: 'دقيقة' })

const hoursOf = (count: number): string =>
  counted(count, { one: 'ساعة واحدة', two: 'ساعتان', few: 'ساعات', many: 'ساعة' })

export const ar: MessagePhrases = {
  titled: (headline, title) => `${headline}: ${own(title)}`,
  link: (label, url) => `${label}: ${url}`,
  maintenanceContent: {
    cancelled: 'أُلغيت الصيانة',
    rescheduled: 'أُعيدت جدولة الصيانة',
  },
  headlines: {
    'incident.reopened': 'أُعيد فتح الحادث',
    'maintenance.scheduled': 'صيانة مجدولة',
    'maintenance.started': 'بدأت الصيانة',
    'maintenance.completed': 'اكتملت الصيانة',
    'maintenance.reminder': 'تبدأ الصيانة قريبًا',
    'monitor.down': 'متوقف',
    'monitor.degraded': 'أداء منخفض',
    'monitor.recovered': 'تمت الاستعادة',
    'oncall.escalated': 'تم التصعيد',
    'oncall.acknowledged': 'تم الإقرار',
    'oncall.resolved': 'تم الحل',
    'channel.test': 'اختبار',
    'sla.at-risk': 'اتفاقية مستوى الخدمة معرضة للخطر',
    'sla.breached': 'تم خرق اتفاقية مستوى الخدمة',
    'sla.recovered': 'عادت اتفاقية مستوى الخدمة إلى المستوى المطلوب',
    'sla.response-breached': 'تجاوز هدف الاستجابة',
    'sla.resolution-breached': 'تجاوز هدف الحل',
    'certificate.expiring': 'تنتهي صلاحية الشهادة قريبًا',
    'incident.update-overdue': 'تحديث متأخر',
    'incident-draft.created': 'تم إنشاء مسودة حادث',
    'incident-draft.publishing': 'ستُنشر المسودة تلقائيًا',
  },
  facts: {
    status: 'الحالة',
    impact: 'التأثير',
    affected: 'المتأثر',
    started: 'البداية',
    resolved: 'وقت الحل',
    lasted: 'المدة',
    posted: 'وقت النشر',
    from: 'من',
    until: 'إلى',
    completed: 'وقت الاكتمال',
    cancelled: 'وقت الإلغاء',
    since: 'منذ',
    severity: 'الخطورة',
    schedule: 'جدول المناوبة',
    notified: 'تم إشعار',
    acknowledged: 'وقت الإقرار',
    raised: 'عدد المرات',
    escalates: 'وقت التصعيد',
    availability: 'التوفر',
    target: 'الهدف',
    budgetLeft: 'ميزانية الأخطاء المتبقية',
    due: 'الموعد',
    expires: 'انتهاء الصلاحية',
    daysLeft: 'الأيام المتبقية',
    publishes: 'وقت النشر التلقائي',
    page: 'الصفحة',
    reason: 'السبب',
  },
  maintenanceUpdated: 'تم تحديث الصيانة',
  flapping: 'تتغير الحالة بشكل متكرر. سيصلك إشعار عندما تستقر.',
  severities: { critical: 'حرج', warning: 'تحذير' },
  view: {
    incident: 'عرض الحادث',
    maintenance: 'عرض الصيانة',
    monitor: 'عرض صفحة الحالة',
    alert: 'عرض الحادث',
  },
  respond: 'الاستجابة',
  coveredUpdates: (count) =>
    `يتضمن ${counted(count, {
      one: 'تحديثًا سابقًا واحدًا',
      two: 'تحديثين سابقين',
      few: 'تحديثات سابقة',
      many: 'تحديثًا سابقًا',
    })}.`,
  several: (count) =>
    counted(count, { one: 'تحديث واحد', two: 'تحديثان', few: 'تحديثات', many: 'تحديثًا' }),
  separator: '، ',
  andMore: (count) => `و${count} غيرها`,
  lasted(minutes) {
    if (minutes < 1) return 'أقل من دقيقة'
    if (minutes < MINUTES_PER_HOUR) return minutesOf(minutes)
    const hours = hoursOf(Math.floor(minutes / MINUTES_PER_HOUR))
    const rest = minutes % MINUTES_PER_HOUR
    return rest === 0 ? hours : `${hours} و${minutesOf(rest)}`
  },
  subscribed: (senderName) => `تصلك هذه الرسالة لأنك مشترك في ${own(senderName)}.`,
  channelOf: (channelName, organizationName) =>
    `أُرسلت عبر قناة الإشعارات «${own(channelName)}» التابعة لـ ${own(organizationName)}.`,
  manage: 'إدارة الاشتراك أو إلغاؤه',
  confirmation: {
    subject: (pageName) => `أكّد اشتراكك في ${own(pageName)}`,
    question: (pageName) => `أكّد رغبتك في تلقي إشعارات الحالة من ${own(pageName)}.`,
    validUntil: (time) => `لن تُرسَل أي إشعارات حتى تؤكد. الرابط صالح حتى ${own(time)}.`,
    action: 'تأكيد الاشتراك',
    knownSubject: (pageName) => `اشتراكك في ${own(pageName)}`,
    known: (pageName) => `هذا العنوان مشترك بالفعل في إشعارات الحالة من ${own(pageName)}.`,
    footer: (address, site) =>
      `تصلك هذه الرسالة لأن العنوان ${own(address)} أُدخل في ${own(site)}. إن لم تكن أنت، فتجاهل هذه الرسالة.`,
  },
  account: {
    invited: {
      subject: (organizationName) => `دعوة للانضمام إلى ${own(organizationName)}`,
      line: (inviter, organizationName) =>
        `دعاك ${own(inviter)} للانضمام إلى ${own(organizationName)}.`,
      administrator: 'أحد المسؤولين',
      validUntil: (time) => `هذه الدعوة صالحة حتى ${own(time)}.`,
      action: 'قبول الدعوة',
    },
    reset: {
      subject: 'إعادة تعيين كلمة المرور',
      line: 'طُلبت إعادة تعيين كلمة المرور لحسابك. إن لم تكن أنت، فتجاهل هذه الرسالة.',
      validUntil: (time) => `يمكن استخدام الرابط مرة واحدة، وهو صالح حتى ${own(time)}.`,
      action: 'اختيار كلمة مرور جديدة',
    },
    verify: {
      subject: 'تحقّق من عنوان بريدك الإلكتروني',
      line: 'أُنشئ حساب بهذا العنوان. إن لم تكن أنت، فتجاهل هذه الرسالة.',
      validUntil: (time) => `يمكن استخدام الرابط مرة واحدة، وهو صالح حتى ${own(time)}.`,
      action: 'تأكيد العنوان',
    },
    test: {
      subject: (organizationName) => `رسالة اختبار من ${own(organizationName)}`,
      line: 'تصل رسائل هذا التثبيت إلى هذا العنوان. لقد طلبت هذه الرسالة من لوحة التحكم.',
    },
    warned: {
      subject: (organizationName) => `تنبيه أمني من ${own(organizationName)}`,
      warnings: {
        two_factor_guessed:
          'أُدخلت كلمة مرورك بشكل صحيح، ثم أُدخلت عدة رموز تحقق ثنائي غير صحيحة. إن لم تكن أنت، فغيّر كلمة مرورك.',
        emergency_login:
          'سجّل أحد المالكين الدخول بكلمة مرور وعامل ثانٍ رغم أن تسجيل الدخول الموحد إلزامي.',
        organization_deletion_requested:
          'طلب أحد المالكين حذف هذه المؤسسة. ستُحذف بعد سبعة أيام، ويمكن لأي مالك استعادتها حتى ذلك الحين.',
        organization_deletion_withdrawn: 'استعاد أحد المالكين هذه المؤسسة، ولن تُحذف.',
      },
      seen: (time, place) => `الوقت: ${own(time)}، المصدر: ${own(place)}.`,
      unknownPlace: 'عنوان غير معروف',
    },
    footer: (address, site) =>
      `تصلك هذه الرسالة لأن العنوان ${own(address)} استُخدم في ${own(site)}.`,
  },
  alert: {
    escalated: (severity) => `${severity}، تم التصعيد`,
    acknowledgedBy: (name) => `أقرّ به ${own(name)}`,
    noOne: 'لا أحد',
    times: (count) => counted(count, { one: 'مرة واحدة', two: 'مرتان', few: 'مرات', many: 'مرة' }),
    footer: (organizationName) => `تصلك هذه الرسالة لأنك مناوب لدى ${own(organizationName)}.`,
  },
  ended: {
    subject: (count) =>
      `توقف الإرسال إلى ${counted(count, {
        one: 'وجهة واحدة',
        two: 'وجهتين',
        few: 'وجهات',
        many: 'وجهة',
      })}`,
    subscriber: (label) => `المشترك ${own(label)}`,
    channel: (name) => `القناة ${own(name)}`,
    line: (owner, type, reason, time) => `${owner} (${own(type)}): ${reason}، منذ ${own(time)}`,
    types: { email: 'البريد الإلكتروني' },
    reasons: {
      sms_stop: 'رد بكلمة STOP',
      hard_bounce: 'صندوق البريد غير موجود',
      mailbox_full: 'صندوق البريد ممتلئ',
      complaint: 'أبلغ المستلم عن رسالة بوصفها غير مرغوب فيها',
      invalid_number: 'لا يمكن للرقم استقبال الرسائل النصية',
      unreachable: 'يتعذر الوصول إلى الهاتف',
      endpoint_gone: 'نقطة النهاية لم تعد موجودة',
      endpoint_failing: 'تفشل نقطة النهاية منذ خمسة أيام',
    },
    remedy:
      'يتلقى المشترك الإشعارات من جديد بعد أن يشترك مرة أخرى في صفحة الحالة ويؤكد العنوان؛ وبعد STOP يرد أولاً بـ START. وتعمل القناة من جديد عندما يصحح مسؤول إعداداتها أو يفعّلها.',
    footer: (organizationName) =>
      `تصلك هذه الرسالة لأنك تدير المشتركين لدى ${own(organizationName)}.`,
  },
  location: {
    headline: 'موقع خاص دون اتصال',
    consequence:
      'لم يرسل أي وكيل في الموقع طلبًا منذ 45 ثانية. لا تُجرى فحوصاته، وتبقى حالة مكوّناته كما هي.',
  },
  vendor: {
    headline: 'لا توجد بيانات في صفحة حالة أحد المورّدين',
    consequence: 'تبقى حالة المكوّنات التي تتبعها كما هي إلى أن تصبح قراءة الصفحة ممكنة من جديد.',
    reasons: {
      blocked: 'العنوان غير عام',
      dns_error: 'لم يُعثر على اسم المضيف',
      connect_error: 'الخادم لا يقبل الاتصالات',
      tls_error: 'الشهادة غير صالحة',
      protocol_error: 'الاستجابة ليست HTTP صالحًا',
      timeout: 'لا استجابة في الوقت المحدد',
      too_large: 'المستند أكبر من 2 ميبيبايت',
      too_complex: 'المستند معقّد جدًا',
      too_many_redirects: 'عمليات إعادة توجيه كثيرة جدًا',
      error_response: 'استجاب الخادم بخطأ',
      unknown_format: 'صيغة المستند غير معروفة',
      component_not_found: 'لا يوجد هذا المكوّن في الصفحة',
    },
  },
  ownerFooter: (organizationName) => `تصلك هذه الرسالة لأنك مالك لدى ${own(organizationName)}.`,
  textHelp: (organizationName) =>
    `${own(organizationName)}: إشعارات الحالة. أرسل STOP لإلغاء الاشتراك أو START لإعادة الاشتراك.`,
  test: {
    title: (channelName) => `إشعار تجريبي إلى ${own(channelName)}`,
    message: 'هذا إشعار تجريبي. القناة تعمل.',
    component: 'مثال',
  },
}
