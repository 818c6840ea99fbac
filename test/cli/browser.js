// browser.js - one page of a headless Chromium, driven over a pipe by its DevTools protocol. Needs node and chromium, no
// package of node and no port.
//
//   const page = await require("./browser.js").open({width, height, touch, dark});
//   await page.show(FILE.html); await page.eval(EXPRESSION); await page.key("w"); ... await page.close();
"use strict";
const {spawn} = require("child_process"), fs = require("fs"), os = require("os"), path = require("path");

const ARGUMENTS = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
  "--disable-dev-shm-usage", "--no-first-run", "--mute-audio", "--disable-extensions", "--force-device-scale-factor=1"];

// Messages are JSON, each with a NUL behind it; answers carry the number of their question.
class Pipe {
  constructor(child) {
    this.out = child.stdio[3];
    this.waiting = new Map();
    this.listeners = [];
    this.last = 0;
    this.out.on("error", () => {}); // the browser's end says it
    let text = "";
    child.stdio[4].setEncoding("utf8");
    child.stdio[4].on("data", more => {
      const parts = (text + more).split("\0");
      text = parts.pop();
      for (const p of parts) this.take(JSON.parse(p));
    });
  }
  take(message) {
    const waiter = this.waiting.get(message.id);
    if (!waiter) return this.listeners.forEach(f => f(message));
    this.waiting.delete(message.id);
    message.error ? waiter.reject(new Error(message.error.message)) : waiter.resolve(message.result);
  }
  ask(method, params, sessionId) {
    const id = ++this.last;
    this.out.write(JSON.stringify({id, method, params, sessionId}) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }
}

const KEYS = {Escape: 27, Enter: 13, Backspace: 8, ArrowLeft: 37, ArrowRight: 39, Tab: 9, Home: 36};

class Page {
  constructor(pipe, session, end) {
    this.errors = []; // what the page's script threw or logged as an error
    this.ask = (method, params) => pipe.ask(method, params || {}, session);
    this.close = end;
    this.loaded = null;
    pipe.listeners.push(m => {
      if (m.method === "Page.loadEventFired" && this.loaded) this.loaded();
      if (m.method === "Runtime.exceptionThrown") {
        const d = m.params.exceptionDetails;
        this.errors.push((d.exception && d.exception.description) || d.text);
      }
      if (m.method === "Log.entryAdded" && m.params.entry.level === "error") this.errors.push(m.params.entry.text);
    });
  }
  async start(options) {
    for (const domain of ["Page", "Runtime", "Log"]) await this.ask(domain + ".enable");
    await this.size(options.width || 1280, options.height || 900, options.touch);
    if (options.dark) await this.ask("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value: "dark"}]});
  }
  async size(width, height, touch) {
    await this.ask("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: touch ? 2 : 1, mobile: !!touch});
    await this.ask("Emulation.setTouchEmulationEnabled", {enabled: !!touch});
  }
  async show(file, hash) {
    const loaded = new Promise(resolve => { this.loaded = resolve; });
    await this.ask("Page.navigate", {url: "about:blank"});
    await loaded;
    const ready = new Promise(resolve => { this.loaded = resolve; });
    await this.ask("Page.navigate", {url: "file://" + path.resolve(file) + (hash || "")});
    await ready;
    await this.frame();
  }
  // The value of an expression; promises are waited for.
  async eval(expression) {
    const r = await this.ask("Runtime.evaluate", {expression, returnByValue: true, awaitPromise: true});
    if (r.exceptionDetails) throw new Error(expression + ": " + (r.exceptionDetails.exception || {}).description);
    return r.result.value;
  }
  frame() { return this.eval("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))"); }
  async key(key, modifiers) {
    const code = KEYS[key] || key.toUpperCase().charCodeAt(0);
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    const event = {key, text, windowsVirtualKeyCode: code, modifiers: modifiers || 0};
    await this.ask("Input.dispatchKeyEvent", {...event, type: text ? "keyDown" : "rawKeyDown"});
    await this.ask("Input.dispatchKeyEvent", {...event, type: "keyUp", text: undefined});
    await this.frame();
  }
  async type(text) { for (const c of text) await this.key(c); }
  async mouse(type, x, y, more) {
    await this.ask("Input.dispatchMouseEvent", {type, x, y, button: "left", clickCount: 1, ...more});
  }
  async click(x, y) {
    await this.mouse("mousePressed", x, y);
    await this.mouse("mouseReleased", x, y);
    await this.frame();
  }
  // modifiers: 1 Alt, 2 Control, 4 Meta, 8 Shift
  async drag(x0, y0, x1, y1, modifiers) {
    const more = {modifiers: modifiers || 0, buttons: 1};
    await this.mouse("mousePressed", x0, y0, more);
    for (let i = 1; i <= 4; i++) await this.mouse("mouseMoved", x0 + (x1 - x0) * i / 4, y0 + (y1 - y0) * i / 4, more);
    await this.mouse("mouseReleased", x1, y1, {...more, buttons: 0});
    await this.frame();
  }
  async wheel(x, y, deltaX, deltaY, modifiers) {
    await this.mouse("mouseWheel", x, y, {deltaX, deltaY, modifiers: modifiers || 0, button: "none"});
    await this.frame();
  }
  // fingers: a list of [[x, y] from, [x, y] to]
  async touch(fingers) {
    const at = share => fingers.map(([a, b], id) => ({x: a[0] + (b[0] - a[0]) * share, y: a[1] + (b[1] - a[1]) * share, id}));
    await this.ask("Input.dispatchTouchEvent", {type: "touchStart", touchPoints: at(0)});
    for (let i = 1; i <= 4; i++) await this.ask("Input.dispatchTouchEvent", {type: "touchMove", touchPoints: at(i / 4)});
    await this.ask("Input.dispatchTouchEvent", {type: "touchEnd", touchPoints: []});
    await this.frame();
  }
  async picture(file, whole) {
    const params = {format: "png", captureBeyondViewport: !!whole};
    if (whole) {
      const {cssContentSize: s} = await this.ask("Page.getLayoutMetrics");
      params.clip = {x: 0, y: 0, width: s.width, height: Math.min(s.height, 8000), scale: 1};
    }
    fs.writeFileSync(file, Buffer.from((await this.ask("Page.captureScreenshot", params)).data, "base64"));
  }
}

async function open(options) {
  const folder = fs.mkdtempSync(path.join(process.env.T || os.tmpdir(), "chromium."));
  const child = spawn(process.env.CHROMIUM || "chromium", [...ARGUMENTS, "--user-data-dir=" + folder, "about:blank"],
    {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
  const pipe = new Pipe(child);
  process.on("exit", () => {
    child.kill("SIGKILL");
    fs.rmSync(folder, {recursive: true, force: true});
  });
  const ended = new Promise(resolve => child.on("exit", resolve));
  const fail = new Promise((_, reject) => {
    child.on("error", reject);
    child.on("exit", code => reject(new Error("chromium ended (" + code + ")")));
  });
  fail.catch(() => {});
  const start = async () => {
    const {targetInfos} = await pipe.ask("Target.getTargets");
    const tab = targetInfos.find(t => t.type === "page") || await pipe.ask("Target.createTarget", {url: "about:blank"});
    const {sessionId} = await pipe.ask("Target.attachToTarget", {targetId: tab.targetId, flatten: true});
    const page = new Page(pipe, sessionId, async () => {
      pipe.ask("Browser.close").catch(() => {});
      await ended;
      fs.rmSync(folder, {recursive: true, force: true});
    });
    await page.start(options || {});
    return page;
  };
  return Promise.race([start(), fail]);
}

module.exports = {open};
