// Diagrams: shown from where they start, large with pan and zoom, and drawn here if the build couldn't.
(function () {
  "use strict";
  var root = document.documentElement;

  function all(selector) {
    return Array.prototype.slice.call(document.querySelectorAll(selector));
  }

  // ---- a diagram that is wider than its box is shown from where it starts ----
  all(".dw-mermaid-scroll[data-start]").forEach(function (box) {
    if (box.scrollWidth > box.clientWidth) box.scrollLeft = box.scrollWidth * box.dataset.start / 100 - box.clientWidth / 2;
  });

  // ---- large, with pan and zoom ----
  // The drawing itself moves into the dialog and back, so that no id is there twice.
  function enlarge(box) {
    var svg = box.querySelector("svg");
    if (!svg) return;
    var place = document.createElement("div");
    place.style.height = svg.getBoundingClientRect().height + "px";
    var dialog = document.createElement("dialog");
    dialog.className = "dw-diagram-dialog";
    dialog.setAttribute("aria-label", box.getAttribute("aria-label"));
    var stage = document.createElement("div");
    stage.className = "dw-diagram-stage";
    stage.tabIndex = 0;
    var bar = document.createElement("div");
    bar.className = "dw-diagram-bar";
    var size = svg.viewBox.baseVal;
    var view = { x: 0, y: 0, scale: 1 };

    function show() {
      svg.style.transform = "translate(" + view.x + "px," + view.y + "px) scale(" + view.scale + ")";
    }
    function fit() {
      view.scale = Math.min(stage.clientWidth / size.width, stage.clientHeight / size.height, 4) * 0.96;
      view.x = (stage.clientWidth - size.width * view.scale) / 2;
      view.y = (stage.clientHeight - size.height * view.scale) / 2;
      show();
    }
    // Zooms so that what is at a point stays there.
    function zoom(factor, x, y) {
      var scale = Math.min(16, Math.max(0.05, view.scale * factor));
      view.x = x - (x - view.x) * scale / view.scale;
      view.y = y - (y - view.y) * scale / view.scale;
      view.scale = scale;
      show();
    }
    function zoomMiddle(factor) {
      zoom(factor, stage.clientWidth / 2, stage.clientHeight / 2);
    }
    function move(x, y) {
      view.x += x;
      view.y += y;
      show();
    }
    function button(label, text, action) {
      var made = document.createElement("button");
      made.type = "button";
      made.textContent = text;
      made.setAttribute("aria-label", label);
      made.title = label;
      made.addEventListener("click", action);
      bar.append(made);
    }
    button("Zoom in", "+", function () { zoomMiddle(1.3); });
    button("Zoom out", "\u2212", function () { zoomMiddle(1 / 1.3); });
    button("Fit to window", "\u2922", fit);
    button("Close", "\u00d7", function () { dialog.close(); });

    stage.addEventListener("wheel", function (event) {
      event.preventDefault();
      var corner = stage.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX - corner.left, event.clientY - corner.top);
    }, { passive: false });

    // One pointer drags, two pinch.
    var pointers = new Map();
    stage.addEventListener("pointerdown", function (event) {
      if (event.target.closest("a")) return;
      stage.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
    });
    stage.addEventListener("pointermove", function (event) {
      var before = pointers.get(event.pointerId);
      if (!before) return;
      var other = Array.from(pointers.values()).find(function (each) { return each.pointerId !== event.pointerId; });
      if (other) {
        var corner = stage.getBoundingClientRect();
        var distance = function (one) { return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1; };
        zoom(distance(event) / distance(before), (event.clientX + other.clientX) / 2 - corner.left, (event.clientY + other.clientY) / 2 - corner.top);
      } else {
        move(event.clientX - before.clientX, event.clientY - before.clientY);
      }
      pointers.set(event.pointerId, event);
    });
    ["pointerup", "pointercancel"].forEach(function (kind) {
      stage.addEventListener(kind, function (event) { pointers.delete(event.pointerId); });
    });
    stage.addEventListener("dblclick", fit);
    dialog.addEventListener("keydown", function (event) {
      var action = {
        "+": function () { zoomMiddle(1.3); },
        "=": function () { zoomMiddle(1.3); },
        "-": function () { zoomMiddle(1 / 1.3); },
        0: fit,
        ArrowLeft: function () { move(60, 0); },
        ArrowRight: function () { move(-60, 0); },
        ArrowUp: function () { move(0, 60); },
        ArrowDown: function () { move(0, -60); },
      }[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    });

    var opener = document.activeElement;
    dialog.append(stage, bar);
    document.body.append(dialog);
    svg.replaceWith(place);
    stage.append(svg);
    dialog.addEventListener("close", function () {
      svg.style.transform = "";
      place.replaceWith(svg);
      dialog.remove();
      removeEventListener("resize", fit);
      if (opener && opener.isConnected) opener.focus({ preventScroll: true });
    });
    dialog.showModal();
    stage.focus();
    fit();
    addEventListener("resize", fit);
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-diagram-enlarge]");
    var box = button ? button.closest(".dw-mermaid").querySelector(".dw-mermaid-scroll") : event.target.closest(".dw-mermaid-scroll");
    if (!box || box.closest("dialog") || event.target.closest("a") || String(getSelection())) return;
    enlarge(box);
  });
  document.addEventListener("keydown", function (event) {
    if (event.key !== "Enter" || !event.target.matches(".dw-mermaid-scroll")) return;
    event.preventDefault();
    enlarge(event.target);
  });

  // ---- what the build couldn't draw ----
  // The source stays if mermaid.js can't draw it either, and without scripts.
  var waiting = all(".dw-mermaid[data-browser]");
  if (!waiting.length || !window.mermaid) return;
  var sources = waiting.map(function (holder) { return holder.querySelector("pre").textContent; });
  var drawn = "";
  var round = 0;
  function draw() {
    var dark = getComputedStyle(root).colorScheme === "dark";
    if (drawn === String(dark)) return;
    drawn = String(dark);
    round += 1;
    window.mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: dark ? "dark" : "default", fontFamily: getComputedStyle(waiting[0]).getPropertyValue("--diagram-font") });
    waiting.reduce(function (before, holder, number) {
      return before.then(function () {
        return window.mermaid.render("dw-browser-" + number + "-" + round, sources[number]);
      }).then(function (result) {
        var box = holder.querySelector(".dw-mermaid-scroll");
        box.innerHTML = result.svg;
        var svg = box.querySelector("svg");
        svg.setAttribute("width", svg.viewBox.baseVal.width);
        svg.setAttribute("height", svg.viewBox.baseVal.height);
        holder.querySelector(".dw-mermaid-source").hidden = true;
        box.hidden = false;
      }, function () {
        all("[id^=ddw-browser-]").forEach(function (left) { left.remove(); });
      }).then(function () { holder.dataset.done = ""; });
    }, Promise.resolve());
  }
  draw();
  new MutationObserver(draw).observe(root, { attributeFilter: ["class"] });
})();
