#!/usr/bin/env python3
"""Plays a game that was exported for the web, in headless Chromium.

    browser.py --version
    browser.py [--profile FOLDER] [--port PORT] [--end REGEX] [--picture FILE] GAME [ARGS...]

GAME is the exported HTML file. ARGS are the game's, as behind "--" on a command line. What it prints goes to stdout, its
errors to stderr. The game has ended when it prints a line that matches REGEX ("N passed, N failed" by default): the exit
status is 0. It is 1 if the page fails first. Run it under `timeout`.

--profile keeps what the browser stores, which is the game's user://, for a second run with the same port: a site is its
address with the port. --picture puts the page as it is at the end into a PNG file.

Chromium is $CHROMIUM, or chromium, chromium-browser, google-chrome or chrome on PATH. It is spoken to through a pipe, by
the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/).
"""

import argparse
import base64
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

PROGRAMS = [os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "chrome"]
OPTIONS = [
    "--headless",
    "--remote-debugging-pipe",
    # WebGL without a graphics card.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--window-size=1152,648",
    # Containers lack what its sandbox needs, and the page is our own.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    # Nothing is looked up elsewhere.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# Seconds for the browser to store what the game saved last.
LINGER = 2


class Server(http.server.SimpleHTTPRequestHandler):
    """Serves the exported game. The arguments of the engine become part of the page."""

    def __init__(self, *args, game, arguments, **kwargs):
        self.game = game
        self.arguments = arguments
        super().__init__(*args, directory=os.path.dirname(os.path.abspath(game)), **kwargs)

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path != "/":
            return super().do_GET()
        with open(self.game, encoding="utf-8") as file:
            page = file.read().replace('"args":[]', '"args":' + json.dumps(self.arguments), 1).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)


class Browser:
    """A page of a Chromium that was started for it."""

    def __init__(self, program, profile):
        (read, self.to), (self.source, write) = os.pipe(), os.pipe()
        start = ["sh", "-c", f'exec "$@" 3<&{read} 4>&{write}', "sh", program, f"--user-data-dir={profile}", *OPTIONS]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(start, pass_fds=[read, write], stdin=quiet, stdout=quiet, stderr=quiet)
        os.close(read)
        os.close(write)
        self.session = None
        self.count = 0
        self.waiting = []
        self.messages = self.read()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Inspector", "Page", "Runtime"]:
            self.call(domain + ".enable")

    def read(self):
        """Yields its messages. Each ends with a NUL."""
        data = b""
        while part := os.read(self.source, 1 << 16):
            *whole, data = (data + part).split(b"\0")
            yield from map(json.loads, whole)

    def call(self, method, **params):
        """Calls a method of the browser, and returns its result. Events that come before it wait."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        for answer in self.messages:
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.waiting.append(answer)
        raise EOFError(f"the browser ended during {method}")

    def events(self):
        while True:
            while self.waiting:
                yield self.waiting.pop(0)
            message = next(self.messages, None)
            if message is None:
                return
            yield message

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        self.process.wait()


def play(browser, options):
    """Prints what the page prints until the game has ended. True if it ended well."""
    for event in browser.events():
        params = event.get("params", {})
        match event.get("method"):
            case "Runtime.consoleAPICalled":
                parts = [str(part.get("value", part.get("description", ""))) for part in params["args"]]
                text = " ".join(parts)
                is_error = params["type"] in ("error", "assert")
                print(text, file=sys.stderr if is_error else sys.stdout, flush=True)
                if re.search(options.end, text):
                    time.sleep(LINGER)
                    if options.picture:
                        picture = browser.call("Page.captureScreenshot")["data"]
                        with open(options.picture, "wb") as file:
                            file.write(base64.b64decode(picture))
                    return True
                if re.match(r"RuntimeError: |Aborted\(", text):
                    return False
            case "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                print("the page failed:", details.get("exception", {}).get("description", details["text"]), file=sys.stderr)
                return False
            case "Inspector.targetCrashed":
                print("the page crashed", file=sys.stderr)
                return False
    print("the browser ended", file=sys.stderr)
    return False


def main():
    program = next((found for name in PROGRAMS if name and (found := shutil.which(name))), None)
    if program is None:
        sys.exit("browser.py: no Chromium here: install it, or set CHROMIUM to its path")
    if "--version" in sys.argv:
        print(subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip())
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--end", default=r"^\d+ passed, \d+ failed")
    parser.add_argument("--picture")
    parser.add_argument("game")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    arguments = ["--", *options.arguments] if options.arguments else []
    handler = functools.partial(Server, game=options.game, arguments=arguments)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        http.server.ThreadingHTTPServer(("127.0.0.1", options.port), handler) as server,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = Browser(program, options.profile or folder)
        try:
            browser.call("Page.navigate", url=f"http://127.0.0.1:{server.server_port}/")
            is_good = play(browser, options)
        finally:
            browser.close()
            server.shutdown()
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
