import type { AgentRef, JsonSchema } from '@agent-reach/sdk/protocol';
import type { CapabilityRecord } from '../model.js';
import type { Offerer } from './catalogue.js';

interface Sketch {
  readonly description: string;
  readonly aliases?: readonly string[];
  readonly tags?: readonly string[];
  readonly input?: Readonly<Record<string, unknown>>;
  readonly output?: Readonly<Record<string, unknown>>;
}

const text = { type: 'string' };

/** What the agents of a shop offer: some described in English, some in Chinese, some in both. */
const SHOP: Readonly<Record<string, Readonly<Record<string, Sketch>>>> = {
  orders: {
    order_query: {
      aliases: ['find_order', 'track_order'],
      description:
        'Use it when a customer asks where an order is. Answers with its state and where the parcel is. 查询订单状态和物流。',
      tags: ['订单', 'read'],
      input: { orderId: text },
      output: { state: { enum: ['PAID', 'SHIPPED', 'DELIVERED'] } },
    },
    order_create: {
      aliases: ['buy', 'checkout'],
      description:
        'Use it to place a new order for a customer; answers with the number of the order. 创建订单，用于客户下单。',
      tags: ['订单', 'write'],
      input: {
        items: { type: 'array', items: { properties: { sku: text, quantity: { type: 'integer' } } } },
        customerId: text,
      },
    },
    order_cancel: {
      description:
        'Use it to cancel an order that has not been shipped; answers whether it was cancelled. 取消尚未发货的订单。',
      tags: ['订单', 'write'],
      input: { orderId: text, reason: text },
    },
    order_list: {
      description:
        'Use it to list the orders of one customer, newest first; answers with a page of them. 列出客户的历史订单。',
      tags: ['订单', 'read'],
      input: { customerId: text, cursor: text },
    },
  },
  inventory: {
    inventory_check: {
      aliases: ['stock_level'],
      description:
        'Use it to see how many pieces of an article are in stock in each warehouse. 查询商品在各仓库的库存数量。',
      tags: ['库存', 'stock', 'availability'],
      input: { sku: text, warehouse: { type: 'string', description: 'Code of the warehouse' } },
    },
    inventory_reserve: {
      description:
        'Use it to set pieces of an article aside for an order; answers with the reservation. 为订单预留商品。',
      tags: ['库存', 'write'],
      input: { sku: text, quantity: { type: 'integer' } },
    },
    'warehouse.transfer': {
      description: 'Use it to move goods from one warehouse to another; answers with the transfer. 仓库之间调拨货物。',
      tags: ['logistics'],
      input: { from: text, to: text, sku: text },
    },
  },
  weather: {
    weatherForecast: {
      aliases: ['forecast'],
      description:
        'Use it for the weather of a city in the coming days: temperature, rain and wind. 查询城市未来几天的天气预报。',
      tags: ['天气', 'meteorology'],
      input: { city: text, days: { type: 'integer' } },
      output: { temperature: { type: 'number', description: 'Degrees Celsius' }, humidity: { type: 'number' } },
    },
    air_quality: {
      description: 'Use it for the quality of the air in a city now: fine dust and ozone. 查询城市当前的空气质量。',
      tags: ['pollution', '空气'],
      input: { city: text },
    },
  },
  language: {
    text_translate: {
      aliases: ['translate', 'translation'],
      description:
        'Use it to translate a text from one language to another; answers with the translated text. 把文本翻译成另一种语言。',
      tags: ['翻译', 'nlp'],
      input: { text, targetLanguage: { enum: ['en', 'zh', 'de', 'fr'] } },
    },
    text_summarize: {
      aliases: ['summarise'],
      description:
        'Use it to shorten a long document to its main points; answers with a summary. 生成文档摘要，概括主要内容。',
      tags: ['摘要', 'nlp'],
      input: { document: text },
    },
    sentiment_analyze: {
      description:
        'Use it to tell whether a review is positive or negative; answers with a score. 判断评论的情感倾向。',
      tags: ['情感分析', 'nlp'],
      input: { review: text },
    },
  },
  payments: {
    payment_charge: {
      aliases: ['pay'],
      description:
        "Use it to charge a customer's credit card for an order; answers with the payment. 从客户的信用卡扣款支付订单。",
      tags: ['支付', '付款', 'money'],
      input: { amount: { type: 'number' }, currency: text, cardToken: text },
    },
    payment_refund: {
      aliases: ['refund', 'money_back'],
      description:
        'Use it to give the money of a payment back to the customer, whole or in part. 把款项退还给客户，支持部分退款。',
      tags: ['退款', '退货', 'money'],
      input: { paymentId: text, amount: { type: 'number' } },
    },
    invoice_create: {
      description: 'Use it to make the invoice of an order as a PDF; answers with its address. 为订单开具发票。',
      tags: ['发票', 'billing'],
      input: { orderId: text, taxNumber: text },
    },
  },
  people: {
    customer_lookup: {
      description:
        "Use it to find a customer by e-mail address or phone number; answers with the customer's record. 按邮箱或手机号查找客户资料。",
      tags: ['客户', 'crm'],
      input: { email: text, phone: text },
    },
    address_validate: {
      description:
        'Use it to check a postal address before something is sent to it; answers with the corrected one. 校验收货地址。',
      tags: ['地址'],
      input: { street: text, postcode: text, country: text },
    },
  },
  messages: {
    email_send: {
      aliases: ['send_mail'],
      description: 'Use it to send an e-mail to a customer; answers when the mail server took it. 给客户发送电子邮件。',
      tags: ['邮件', 'notification'],
      input: { recipient: text, subject: text, body: text },
    },
    sms_send: {
      description: 'Use it to send a short text message to a mobile phone. 发送手机短信通知。',
      tags: ['短信', 'notification'],
      input: { phone: text, message: text },
    },
  },
  delivery: {
    shipping_quote: {
      description:
        'Use it to learn what sending a parcel costs and how long it takes, by carrier. 查询快递运费和时效。',
      tags: ['运费', 'carrier'],
      input: { weight: { type: 'number' }, destination: text },
    },
    courier_pickup: {
      description: 'Use it to have a courier collect a parcel at an address. 预约快递员上门取件。',
      tags: ['快递', 'carrier'],
      input: { address: text, date: text },
    },
  },
};

/** A capability as it is registered. */
export function capability(name: string, sketch: Sketch): CapabilityRecord {
  return {
    uid: `uid-${name}`,
    name,
    aliases: sketch.aliases ?? [],
    description: sketch.description,
    inputSchema: schemaOf(sketch.input ?? {}),
    outputSchema: sketch.output === undefined ? undefined : schemaOf(sketch.output),
    tags: sketch.tags ?? [],
    idempotent: true,
    mode: 'SYNC',
    cacheTtlMs: 0,
    callerIndependent: false,
    sensitive: [],
    headers: [],
  };
}

/** An instance of an agent that offers capabilities. */
export function offerer(agent: AgentRef, records: readonly CapabilityRecord[]): Offerer {
  const namespace = agent.slice(0, agent.indexOf('/'));
  return { namespace, agent, capabilities: records.map((record) => ({ record })) };
}

/** One instance of each agent of the shop. */
export function shopOfferers(): Offerer[] {
  return Object.entries(SHOP).map(([agent, offered]) =>
    offerer(
      `shop/${agent}`,
      Object.entries(offered).map(([name, sketch]) => capability(name, sketch)),
    ),
  );
}

function schemaOf(properties: Readonly<Record<string, unknown>>): JsonSchema {
  return { type: 'object', properties };
}
